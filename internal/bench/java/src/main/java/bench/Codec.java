package bench;

import java.nio.ByteBuffer;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;

/** A decoder and an encoder of proton-j, and the buffers that they keep from one value to the next. */
final class Codec {
    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);
    private final ByteBuffer out = ByteBuffer.allocate(4096);

    Codec() {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
        encoder.setByteBuffer(out);
    }

    /** Goes to the beginning of a buffer, from which read reads. */
    void rewind(ByteBuffer in) {
        in.rewind();
        decoder.setByteBuffer(in);
    }

    Object read() {
        return decoder.readObject();
    }

    /** Returns the buffer that the value stands in, up to its position: the next one will be there as well. */
    ByteBuffer write(Object value) {
        out.clear();
        encoder.writeObject(value);
        return out;
    }
}
