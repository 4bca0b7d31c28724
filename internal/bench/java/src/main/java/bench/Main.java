package bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks: Main INPUTS TRACES [once] [PATTERN]. With "once" each runs a moment in this JVM, which shows that it
 * works and measures nothing; a pattern selects some by class and method.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws RunnerException, IOException {
        int next = 0;
        System.setProperty(Inputs.FILE, args[next++]);
        int traces = Traces.replay(Path.of(args[next++]));
        System.err.println("the group managers answer as the broker did in " + traces + " traces");
        boolean once = next < args.length && args[next].equals("once");
        if (once) {
            next++;
        }
        Inputs inputs = Inputs.read();
        var options = new OptionsBuilder()
                .include(next < args.length ? args[next] : ".")
                .param("kind", inputs.below("id"))
                .param("body", inputs.below("message"))
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true)
                .forks(once ? 0 : 1)
                .warmupIterations(once ? 0 : 3)
                .warmupTime(TimeValue.milliseconds(500))
                .measurementIterations(once ? 1 : 6)
                .measurementTime(TimeValue.milliseconds(once ? 1 : 300))
                .jvmArgsAppend("-D" + Inputs.FILE + "=" + System.getProperty(Inputs.FILE))
                .build();
        new Runner(options, new GoFormat(System.out, System.err)).run();
    }
}
