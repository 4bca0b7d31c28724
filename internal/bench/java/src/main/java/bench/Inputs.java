package bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the benchmarks of both languages work on. Go wrote it to a file: each line is a name and bytes in hex. */
final class Inputs {
    /** The property with the name of the file. The JVMs that JMH starts inherit it. */
    static final String FILE = "bench.inputs";

    private final Map<String, byte[]> bytes = new LinkedHashMap<>();

    private Inputs() {}

    static Inputs read() {
        List<String> lines;
        try {
            lines = Files.readAllLines(Path.of(System.getProperty(FILE)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Inputs inputs = new Inputs();
        for (String line : lines) {
            int space = line.lastIndexOf(' ');
            inputs.bytes.put(line.substring(0, space), HexFormat.of().parseHex(line.substring(space + 1)));
        }
        return inputs;
    }

    /** The x of all names PREFIX/x or PREFIX/x/y, each once, in the order of the file. */
    String[] below(String prefix) {
        return bytes.keySet().stream().filter(name -> name.startsWith(prefix + "/"))
                .map(name -> name.substring(prefix.length() + 1).replaceFirst("/.*", "")).distinct()
                .toArray(String[]::new);
    }

    byte[] bytes(String name) {
        byte[] b = bytes.get(name);
        if (b == null) {
            throw new IllegalArgumentException("no input is called " + name);
        }
        return b;
    }

    String string(String name) {
        return new String(bytes(name), java.nio.charset.StandardCharsets.UTF_8);
    }
}
