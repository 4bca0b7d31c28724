package bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.qpid.server.queue.GroupConsumer;
import org.apache.qpid.server.queue.GroupMessage;
import org.apache.qpid.server.queue.GroupQueue;
import org.apache.qpid.server.queue.QueueEntry;

/**
 * Does with a GroupQueue what was done with a real Broker-J, and compares who gets what. That it answers as the broker
 * did is what makes its times worth a look.
 *
 * <p>Of the traces it takes those that have nothing but messages with and without a group, plain consumers, credit, accept, release
 * and close, and in which no message could have gone to one of several consumers that wait: which one is up to
 * parts of the broker that are not here.
 */
final class Traces {
    /** So many are in the files; with fewer, the files or their reader are not as they were. */
    private static final int ENOUGH = 60;

    private static final Pattern ACTION = Pattern.compile(
            "(enqueue) (\\d+)(?: group \"([^\"\\\\]*)\")?|(open|close) (\\w+)|(credit|drain|accept|release) (\\w+) (\\d+)");
    private static final Pattern DELIVERY = Pattern.compile("(\\w+ gets \\d+)(?: count \\d+)?");
    private static final Pattern OTHER = Pattern.compile("idle|nothing|\\w+ drained \\d+|depth .*");

    /** A trace has what this class does not do. */
    private static final class NotHere extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static final class Consumer {
        final GroupConsumer consumer;
        final Map<String, QueueEntry> held = new LinkedHashMap<>();
        int credit;

        Consumer(GroupConsumer consumer) {
            this.consumer = consumer;
        }
    }

    private final GroupQueue queue;
    private final Map<String, Consumer> consumers = new LinkedHashMap<>();

    private Traces(GroupQueue.Strategy strategy) {
        queue = GroupQueue.of(strategy, GroupQueue.BUCKETS);
    }

    /** Replays the traces in the files of a folder and returns how many there were to replay. */
    static int replay(Path folder) throws IOException {
        int replayed = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.txt")) {
            for (Path file : files) {
                for (String trace : Files.readString(file).split("\n\n")) {
                    if (trace.startsWith("name: ") && replay(trace.split("\n"))) {
                        replayed++;
                    }
                }
            }
        }
        if (replayed < ENOUGH) {
            throw new IllegalStateException("only " + replayed + " traces to replay in " + folder);
        }
        return replayed;
    }

    private static boolean replay(String[] lines) {
        String name = lines[0].substring("name: ".length());
        List<String> all = Arrays.asList(lines);
        int steps = all.indexOf("steps:");
        List<String> attributes = all.subList(all.indexOf("queue:") + 1, steps);
        GroupQueue.Strategy strategy = all.contains("strategy: shared")
                ? GroupQueue.Strategy.shared : GroupQueue.Strategy.assigned;
        if (attributes.size() != 1 || !attributes.get(0).startsWith("  messageGroupType ")) {
            return false;
        }
        Traces queue = new Traces(strategy);
        try {
            for (int at = steps + 1; at < lines.length;) {
                String action = lines[at++].strip();
                List<String> want = new ArrayList<>();
                for (; at < lines.length && lines[at].startsWith("    "); at++) {
                    String observed = lines[at].strip();
                    if (observed.startsWith("-> ")) {
                        Matcher delivery = DELIVERY.matcher(observed.substring(3));
                        if (delivery.matches()) {
                            want.add(delivery.group(1));
                        } else if (!OTHER.matcher(observed.substring(3)).matches()) {
                            throw new NotHere();
                        }
                    }
                }
                queue.act(action);
                Check.equal(queue.deliver(), want, name + ", after " + action);
            }
        } catch (NotHere e) {
            return false;
        }
        return true;
    }

    private void act(String line) throws NotHere {
        Matcher m = ACTION.matcher(line);
        if (!m.matches()) {
            throw new NotHere();
        }
        if (m.group(1) != null) {
            queue.add(GroupMessage.of(Long.parseLong(m.group(2)), m.group(3)));
        } else if (m.group(4) != null) {
            String c = m.group(5);
            if (m.group(4).equals("open")) {
                consumers.put(c, new Consumer(queue.open(null)));
            } else {
                Consumer closed = consumers.remove(c);
                queue.close(closed.consumer, List.copyOf(closed.held.values()));
            }
        } else {
            Consumer c = consumers.get(m.group(7));
            String number = m.group(8);
            switch (m.group(6)) {
                case "credit" -> c.credit += Integer.parseInt(number);
                case "drain" -> {
                    c.credit += Integer.parseInt(number);
                    drain = c;
                }
                case "accept" -> c.held.remove(number).delete();
                default -> c.held.remove(number).release(c.consumer);
            }
        }
    }

    private Consumer drain;

    /** Gives messages to consumers with credit while there are any to give. */
    private List<String> deliver() throws NotHere {
        List<String> gets = new ArrayList<>();
        long waiting = consumers.values().stream().filter(c -> c.credit > 0).count();
        for (Map.Entry<String, Consumer> named : consumers.entrySet()) {
            Consumer c = named.getValue();
            QueueEntry e;
            while (c.credit > 0 && (e = queue.next(c.consumer)) != null) {
                if (waiting > 1) {
                    throw new NotHere();
                }
                c.credit--;
                String number = Long.toString(((GroupMessage) e.getMessage()).getMessageNumber());
                c.held.put(number, e);
                gets.add(named.getKey() + " gets " + number);
            }
        }
        if (drain != null) {
            drain.credit = 0;
            drain = null;
        }
        return gets;
    }
}
