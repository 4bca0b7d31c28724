package bench;

import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.message.Message;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A typical message is written again with an explicit durable. */
@State(Scope.Thread)
public class Rewriting {
    private final Codec codec = new Codec();
    private final Message message = Message.Factory.create();
    private ByteBuffer in;
    private byte[] out;

    @Setup
    public void setup() {
        byte[] wire = Inputs.read().bytes("message/256 B");
        in = ByteBuffer.wrap(wire);
        out = new byte[wire.length];
        message.decode(wire, 0, wire.length);
        Message again = Message.Factory.create();
        again.decode(out, 0, encode());
        Check.equal(again.toString(), message.toString(), "the message, encoded");
        ByteBuffer rewritten = header();
        again.decode(rewritten.array(), 0, rewritten.position());
        Check.equal(again.toString(), message.toString(), "the message with its header encoded");
    }

    /** All of a message that was decoded before. */
    @Benchmark
    @Operation("Message/AppendExplicit, dst nil/lib=proton-j")
    public int encode() {
        return message.encode(out, 0, out.length);
    }

    /** Only the header is decoded and encoded, the rest copied. */
    @Benchmark
    @Operation("Message/AppendExplicit, dst reused/lib=proton-j")
    public ByteBuffer header() {
        codec.rewind(in);
        Header header = (Header) codec.read();
        if (header.getDurable() == null) {
            header.setDurable(false);
        }
        return codec.write(header).put(in);
    }
}
