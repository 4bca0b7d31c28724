package bench;

import java.nio.ByteBuffer;
import org.apache.qpid.jms.exceptions.IdConversionException;
import org.apache.qpid.jms.provider.amqp.message.AmqpMessageIdHelper;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Ids of each kind, between the object that they are once decoded and the JMS string. */
@State(Scope.Thread)
public class Ids {
    @Param("those of the inputs") // Main sets them
    public String kind;

    private Object value;
    private String jms;

    @Setup
    public void setup() throws IdConversionException {
        Inputs inputs = Inputs.read();
        Codec codec = new Codec();
        codec.rewind(ByteBuffer.wrap(inputs.bytes("id/" + kind + "/wire")));
        value = codec.read();
        jms = inputs.string("id/" + kind + "/jms");
        Check.equal(messageIdString(), jms, "the JMSMessageID");
        Check.equal(idObject(), value, "the id");
    }

    @Benchmark
    @Operation("IDs/AppendMessageID/{kind}/lib=qpid-jms")
    public String messageIdString() {
        return AmqpMessageIdHelper.toMessageIdString(value);
    }

    @Benchmark
    @Operation("IDs/ParseID/{kind}/lib=qpid-jms")
    public Object idObject() throws IdConversionException {
        return AmqpMessageIdHelper.toIdObject(jms);
    }
}
