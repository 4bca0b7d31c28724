package org.apache.qpid.server.queue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import net.bytebuddy.ByteBuddy;

/**
 * Makes a class of an abstract one. Broker-J's interfaces have many methods that its group managers never
 * call: those that our classes leave out throw AbstractMethodError, and nothing stands between a caller and those
 * that they have, as there would with a java.lang.reflect.Proxy.
 */
final class Stub {
    private Stub() {}

    /** Returns a handle of a constructor with these parameters, which returns the abstract class. */
    static MethodHandle constructor(Class<?> of, Class<?>... parameters) {
        try (var made = new ByteBuddy().subclass(of).make()) {
            Class<?> whole = made.load(of.getClassLoader()).getLoaded();
            return MethodHandles.lookup()
                    .findConstructor(whole, MethodType.methodType(void.class, parameters))
                    .asType(MethodType.methodType(of, parameters));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
