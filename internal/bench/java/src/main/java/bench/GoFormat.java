package bench;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Prints a line for each measured iteration, as go test -bench does, and all else that JMH has to say as errors. */
final class GoFormat implements OutputFormat {
    private final PrintStream out;
    private final PrintStream err;

    GoFormat(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public void iterationResult(BenchmarkParams benchmark, IterationParams params, int number, IterationResult result) {
        if (params.getType() == IterationType.MEASUREMENT) {
            out.printf(Locale.ROOT, "Benchmark%s\t%d\t%.4g ns/op%n", name(benchmark),
                    result.getMetadata().getMeasuredOps(), result.getPrimaryResult().getScore());
            out.flush();
        }
    }

    /** What Operation says of the method, with the values of its parameters. */
    private static String name(BenchmarkParams benchmark) {
        String full = benchmark.getBenchmark();
        int dot = full.lastIndexOf('.');
        String name = null;
        try {
            for (Method m : Class.forName(full.substring(0, dot)).getMethods()) {
                if (m.getName().equals(full.substring(dot + 1)) && m.isAnnotationPresent(Operation.class)) {
                    name = m.getAnnotation(Operation.class).value();
                }
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        if (name == null) {
            throw new IllegalStateException(full + " has no Operation");
        }
        for (String key : benchmark.getParamsKeys()) {
            name = name.replace("{" + key + "}", benchmark.getParam(key));
        }
        return name.replace(' ', '_'); // as Go does it
    }

    @Override
    public void startRun() {}

    @Override
    public void endRun(Collection<RunResult> results) {}

    @Override
    public void startBenchmark(BenchmarkParams benchmark) {}

    @Override
    public void endBenchmark(BenchmarkResult result) {}

    @Override
    public void iteration(BenchmarkParams benchmark, IterationParams params, int number) {}

    @Override
    public void print(String s) {
        err.print(s);
    }

    /** Of its remarks on a run, of which there are some for each benchmark, only how far it got. */
    @Override
    public void println(String s) {
        if (!s.isBlank() && (!s.startsWith("#") || s.startsWith("# Run progress"))) {
            err.println(s);
        }
    }

    @Override
    public void verbosePrintln(String s) {}

    @Override
    public void write(int b) {
        err.write(b);
    }

    @Override
    public void write(byte[] b) throws IOException {
        err.write(b);
    }

    @Override
    public void flush() {
        err.flush();
    }

    @Override
    public void close() {}
}
