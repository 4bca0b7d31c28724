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
 * Runs the benchmarks: Main INPUTS TRACES COUNT [PATTERN]. Of each it prints as many measurements as COUNT says. With
 * "once" in its place each runs a moment in this JVM, which shows that it works and measures nothing. A pattern selects some by
 * class and method.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws RunnerException, IOException {
        System.setProperty(Inputs.FILE, args[0]);
        int traces = Traces.replay(Path.of(args[1]));
        System.err.println("the group managers answer as the broker did in " + traces + " traces");
        boolean once = args[2].equals("once");
        Inputs inputs = Inputs.read();
        var options = new OptionsBuilder()
                .include(args.length > 3 ? args[3] : ".")
                .param("kind", inputs.below("id"))
                .param("body", inputs.below("message"))
                .param("selector", inputs.below("selector"))
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true)
                .forks(once ? 0 : 1)
                .warmupIterations(once ? 0 : 3)
                .warmupTime(TimeValue.milliseconds(500))
                .measurementIterations(once ? 1 : Integer.parseInt(args[2]))
                .measurementTime(TimeValue.milliseconds(once ? 1 : 300))
                .jvmArgsAppend("-D" + Inputs.FILE + "=" + args[0])
                .build();
        new Runner(options, new GoFormat(System.out, System.err)).run();
    }
}
