package bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The name that a benchmark has in the table, that of Go's benchmark of the same operation; {p} is parameter p. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Operation {
    String value();
}
