package bench;

import java.util.Objects;

/** Setups check that what is measured does what it is there for. */
final class Check {
    private Check() {}

    static void equal(Object got, Object want, String what) {
        if (!Objects.equals(got, want)) {
            throw new IllegalStateException(what + ": got " + got + ", want " + want);
        }
    }
}
