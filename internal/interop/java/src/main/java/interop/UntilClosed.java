package interop;

import java.io.IOException;

/** A broker's life ends with its standard input, so that none outlives the tests that started it. */
final class UntilClosed {
    private UntilClosed() {}

    /** Says that the broker listens, and returns when standard input is closed. */
    static void ready(int port) throws IOException {
        System.out.println("READY " + port);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is asked of a broker this way.
        }
    }
}
