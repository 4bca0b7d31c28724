package bench;

import java.util.List;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.filter.impl.FilterImpl;
import org.apache.activemq.artemis.protocol.amqp.broker.AMQPStandardMessage;
import org.apache.activemq.artemis.utils.SelectorTranslator;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.filter.BooleanExpression;
import org.apache.activemq.filter.MessageEvaluationContext;
import org.apache.activemq.selector.SelectorParser;
import org.apache.activemq.transport.amqp.message.EncodedMessage;
import org.apache.activemq.transport.amqp.message.JMSMappingInboundTransformer;
import org.apache.qpid.server.bytebuffer.QpidByteBuffer;
import org.apache.qpid.server.filter.Filterable;
import org.apache.qpid.server.filter.JMSSelectorFilter;
import org.apache.qpid.server.message.AMQMessageHeader;
import org.apache.qpid.server.protocol.v1_0.MessageMetaData_1_0;
import org.apache.qpid.server.protocol.v1_0.messaging.SectionDecoderImpl;
import org.apache.qpid.server.protocol.v1_0.type.codec.AMQPDescribedTypeRegistry;
import org.apache.qpid.server.protocol.v1_0.type.messaging.ApplicationPropertiesSection;
import org.apache.qpid.server.protocol.v1_0.type.messaging.EncodingRetainingSection;
import org.apache.qpid.server.protocol.v1_0.type.messaging.HeaderSection;
import org.apache.qpid.server.protocol.v1_0.type.messaging.PropertiesSection;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Selectors: parsing one, evaluating it on a message that each broker has made its own before, and on bytes. */
@State(Scope.Thread)
public class Selectors {
    @Param("those of the inputs") // Main sets them
    public String selector;

    private String text;
    private byte[] wire;

    private Filter artemis;
    private AMQPStandardMessage artemisMessage;

    private BooleanExpression activemq;
    private final MessageEvaluationContext activemqContext = new MessageEvaluationContext();
    private final JMSMappingInboundTransformer transformer = new JMSMappingInboundTransformer();
    private ActiveMQMessage activemqMessage;

    private JMSSelectorFilter brokerJ;
    private final SectionDecoderImpl decoder = new SectionDecoderImpl(
            AMQPDescribedTypeRegistry.newInstance().registerMessagingLayer().getSectionDecoderRegistry());
    private Filterable brokerJMessage;

    @Setup
    public void setup() throws Exception {
        Inputs inputs = Inputs.read();
        text = inputs.string("selector/" + selector + "/text");
        wire = inputs.bytes("selected");
        boolean selects = inputs.bytes("selector/" + selector + "/selects")[0] == 1;
        artemis = parseArtemis();
        artemisMessage = artemisMessage();
        Check.equal(matchArtemis(), selects, "Artemis, " + text);
        Check.equal(verdictOfArtemis(), selects, "Artemis, from bytes, " + text);
        activemq = parseActiveMQ();
        activemqMessage = activemqMessage();
        Check.equal(matchActiveMQ(), selects, "ActiveMQ, " + text);
        Check.equal(verdictOfActiveMQ(), selects, "ActiveMQ, from bytes, " + text);
        brokerJ = parseBrokerJ();
        brokerJMessage = brokerJMessage();
        Check.equal(matchBrokerJ(), selects, "Broker-J, " + text);
        Check.equal(verdictOfBrokerJ(), selects, "Broker-J, from bytes, " + text);
    }

    /** As its AMQP sender does it for an attach. */
    @Benchmark
    @Operation("Selectors/ParseSelector/{selector}/lib=artemis")
    public Filter parseArtemis() throws ActiveMQException {
        return FilterImpl.createFilter(SelectorTranslator.convertToActiveMQFilterString(text));
    }

    @Benchmark
    @Operation("Selectors/Matches/{selector}/lib=artemis")
    public boolean matchArtemis() {
        return artemis.match(artemisMessage);
    }

    @Benchmark
    @Operation("Selectors/Parse and Matches/{selector}/lib=artemis")
    public boolean verdictOfArtemis() {
        return artemis.match(artemisMessage());
    }

    private AMQPStandardMessage artemisMessage() {
        return new AMQPStandardMessage(0, wire, null);
    }

    /** Without its cache of parsed selectors. */
    @Benchmark
    @Operation("Selectors/ParseSelector/{selector}/lib=activemq")
    public BooleanExpression parseActiveMQ() throws Exception {
        SelectorParser.clearCache();
        return SelectorParser.parse(text);
    }

    @Benchmark
    @Operation("Selectors/Matches/{selector}/lib=activemq")
    public boolean matchActiveMQ() throws Exception {
        return matchActiveMQ(activemqMessage);
    }

    @Benchmark
    @Operation("Selectors/Parse and Matches/{selector}/lib=activemq")
    public boolean verdictOfActiveMQ() throws Exception {
        return matchActiveMQ(activemqMessage());
    }

    private ActiveMQMessage activemqMessage() throws Exception {
        return transformer.transform(new EncodedMessage(0, wire, 0, wire.length));
    }

    private boolean matchActiveMQ(ActiveMQMessage message) throws Exception {
        activemqContext.setMessageReference(message);
        return activemq.matches(activemqContext);
    }

    @Benchmark
    @Operation("Selectors/ParseSelector/{selector}/lib=broker-j")
    public JMSSelectorFilter parseBrokerJ() throws Exception {
        return new JMSSelectorFilter(text);
    }

    @Benchmark
    @Operation("Selectors/Matches/{selector}/lib=broker-j")
    public boolean matchBrokerJ() {
        return brokerJ.matches(brokerJMessage);
    }

    @Benchmark
    @Operation("Selectors/Parse and Matches/{selector}/lib=broker-j")
    public boolean verdictOfBrokerJ() throws Exception {
        return brokerJ.matches(brokerJMessage());
    }

    private Filterable brokerJMessage() throws Exception {
        List<EncodingRetainingSection<?>> sections = decoder.parseAll(QpidByteBuffer.wrap(wire));
        HeaderSection header = null;
        PropertiesSection properties = null;
        ApplicationPropertiesSection applicationProperties = null;
        long size = 0;
        for (EncodingRetainingSection<?> section : sections) {
            if (section instanceof HeaderSection h) {
                header = h;
            } else if (section instanceof PropertiesSection p) {
                properties = p;
            } else if (section instanceof ApplicationPropertiesSection a) {
                applicationProperties = a;
            } else {
                size += section.getEncodedSize();
            }
        }
        return new OfMetaData(new MessageMetaData_1_0(header, null, null, properties, applicationProperties, null, 0, size));
    }

    /** A message as Broker-J's selectors see it. */
    private record OfMetaData(MessageMetaData_1_0 metaData) implements Filterable {
        @Override
        public AMQMessageHeader getMessageHeader() {
            return metaData.getMessageHeader();
        }

        @Override
        public boolean isPersistent() {
            return metaData.isPersistent();
        }

        @Override
        public boolean isRedelivered() {
            return false;
        }

        @Override
        public Object getHeader(String name) {
            return getMessageHeader().getHeader(name);
        }

        @Override
        public String getReplyTo() {
            return getMessageHeader().getReplyTo();
        }

        @Override
        public String getType() {
            return getMessageHeader().getType();
        }

        @Override
        public byte getPriority() {
            return getMessageHeader().getPriority();
        }

        @Override
        public String getMessageId() {
            return getMessageHeader().getMessageId();
        }

        @Override
        public long getTimestamp() {
            return getMessageHeader().getTimestamp();
        }

        @Override
        public String getCorrelationId() {
            return getMessageHeader().getCorrelationId();
        }

        @Override
        public long getExpiration() {
            return getMessageHeader().getExpiration();
        }

        @Override
        public Object getConnectionReference() {
            return null;
        }

        @Override
        public long getMessageNumber() {
            return 1;
        }

        @Override
        public long getArrivalTime() {
            return metaData.getArrivalTime();
        }
    }
}
