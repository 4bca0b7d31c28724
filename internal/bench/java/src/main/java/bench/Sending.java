package bench;

import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.message.Message;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A body becomes a message with all that a JMS producer sets, and is encoded. Go has prepared it once, for its values. */
@State(Scope.Thread)
public class Sending {
    private static final Symbol DESTINATION = Symbol.valueOf("x-opt-jms-dest");
    private static final Symbol TYPE = Symbol.valueOf("x-opt-jms-msg-type");
    private static final Symbol DELIVERY_TIME = Symbol.valueOf("x-opt-delivery-time");

    private byte[] body;
    private String to;
    private short priority;
    private long now;
    private long timeToLive;
    private long delay;
    private byte destination;
    private byte type;
    private byte[] out;

    @Setup
    public void setup() {
        byte[] wire = Inputs.read().bytes("prepared");
        Message m = Message.Factory.create();
        m.decode(wire, 0, wire.length);
        Binary data = ((Data) m.getBody()).getValue();
        body = new byte[data.getLength()];
        data.asByteBuffer().get(body);
        to = m.getAddress();
        priority = m.getPriority();
        now = m.getCreationTime();
        timeToLive = m.getTtl();
        Map<Symbol, Object> annotations = m.getMessageAnnotations().getValue();
        delay = (Long) annotations.get(DELIVERY_TIME) - now;
        destination = (Byte) annotations.get(DESTINATION);
        type = (Byte) annotations.get(TYPE);

        out = new byte[wire.length + 256];
        Message again = Message.Factory.create();
        again.decode(out, 0, send());
        Check.equal(again.getMessageAnnotations().getValue(), annotations, "the annotations");
        again.setMessageAnnotations(m.getMessageAnnotations()); // for their order
        again.setMessageId(m.getMessageId());
        Check.equal(again.toString(), m.toString(), "the message");
    }

    @Benchmark
    @Operation("Producer/Prepare and MarshalBinary/lib=proton-j")
    public int send() {
        Header header = new Header();
        header.setDurable(true);
        header.setPriority(UnsignedByte.valueOf((byte) priority));
        header.setTtl(UnsignedInteger.valueOf(timeToLive));
        Map<Symbol, Object> annotations = new HashMap<>();
        annotations.put(DESTINATION, destination);
        annotations.put(TYPE, type);
        annotations.put(DELIVERY_TIME, now + delay);
        Properties properties = new Properties();
        properties.setMessageId("ID:" + UUID.randomUUID());
        properties.setTo(to);
        properties.setCreationTime(new Date(now));
        properties.setAbsoluteExpiryTime(new Date(now + timeToLive));
        Message m = Message.Factory.create();
        m.setHeader(header);
        m.setMessageAnnotations(new MessageAnnotations(annotations));
        m.setProperties(properties);
        m.setBody(new Data(new Binary(body)));
        return m.encode(out, 0, out.length);
    }
}
