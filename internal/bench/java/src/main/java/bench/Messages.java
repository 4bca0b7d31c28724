package bench;

import java.nio.ByteBuffer;
import org.apache.qpid.jms.provider.amqp.message.AmqpMessageIdHelper;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.message.Message;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Looking at a typical message, with bodies of several sizes. */
@State(Scope.Thread)
public class Messages {
    private static final Symbol DELIVERY_TIME = Symbol.valueOf("x-opt-delivery-time");

    @Param("those of the inputs") // Main sets them
    public String body;

    private final Codec codec = new Codec();
    private final Message message = Message.Factory.create();
    private byte[] wire;
    private ByteBuffer buffer;

    @Setup
    public void setup() {
        wire = Inputs.read().bytes("message/" + body);
        buffer = ByteBuffer.wrap(wire);
        decode();
        Check.equal(message.getGroupId() != null && message.getBody() != null, true, "a message");
    }

    /** Proton-j cannot cut a message into sections: this is what a user of it has in place of that. */
    @Benchmark
    @Operation("Message/Parse/{body}/lib=proton-j")
    public Message decode() {
        message.decode(wire, 0, wire.length);
        return message;
    }

    /** Header, message id, group id and delivery time. No section behind the properties is decoded. */
    @Benchmark
    @Operation("Message/peek/{body}/lib=proton-j")
    public void peek(Blackhole seen) {
        codec.rewind(buffer);
        Header header = null;
        Object deliveryTime = null;
        Object section;
        while (!((section = codec.read()) instanceof Properties)) {
            if (section instanceof Header h) {
                header = h;
            } else if (section instanceof MessageAnnotations a) {
                deliveryTime = a.getValue().get(DELIVERY_TIME);
            }
        }
        Properties properties = (Properties) section;
        String id = AmqpMessageIdHelper.toMessageIdString(properties.getMessageId());
        String group = properties.getGroupId();
        if (header == null || !header.getDurable() || id == null || group == null || deliveryTime == null) {
            throw new IllegalStateException("not the message that was written");
        }
        seen.consume(id);
        seen.consume(group);
        seen.consume(deliveryTime);
    }
}
