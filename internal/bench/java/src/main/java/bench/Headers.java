package bench;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The header section. */
@State(Scope.Thread)
public class Headers {
    private final Codec codec = new Codec();
    private ByteBuffer section;
    private Header header;

    @Setup
    public void setup() {
        section = ByteBuffer.wrap(Inputs.read().bytes("header"));
        header = (Header) decode();
        ByteBuffer written = encode();
        codec.rewind(ByteBuffer.wrap(Arrays.copyOf(written.array(), written.position())));
        Check.equal(codec.read().toString(), header.toString(), "the header");
    }

    @Benchmark
    @Operation("Header/ParseHeader/lib=proton-j")
    public Object decode() {
        codec.rewind(section);
        return codec.read();
    }

    @Benchmark
    @Operation("Header/Header.AppendTo/lib=proton-j")
    public ByteBuffer encode() {
        return codec.write(header);
    }
}
