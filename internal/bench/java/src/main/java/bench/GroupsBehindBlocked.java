package bench;

import java.util.Arrays;
import org.apache.qpid.server.queue.GroupConsumer;
import org.apache.qpid.server.queue.GroupMessage;
import org.apache.qpid.server.queue.GroupQueue;
import org.apache.qpid.server.queue.QueueEntry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A consumer takes messages that stand behind many that are for another, who takes none. */
@State(Scope.Thread)
public class GroupsBehindBlocked {
    private static final int TURN = 1000;

    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    @Param({"1000", "10000", "100000", "1000000"})
    public int blocked;

    private GroupQueue queue;
    private GroupConsumer consumer;
    private String[] mine;
    private final QueueEntry[] taken = new QueueEntry[TURN];

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        GroupConsumer other = queue.open(null);
        consumer = queue.open(null);
        String[] names = GroupNames.of(200);
        String[] theirs = Arrays.copyOf(names, 100);
        mine = Arrays.copyOfRange(names, 100, 200);
        for (String group : theirs) {
            queue.add(GroupMessage.of(0, group));
            Check.equal(queue.next(other) != null, true, "the other consumer has a message");
        }
        for (int i = 0; i < blocked; i++) {
            queue.add(GroupMessage.of(i, theirs[i % theirs.length]));
        }
    }

    @Setup(Level.Invocation)
    public void add() {
        for (int i = 0; i < TURN; i++) {
            queue.add(GroupMessage.of(i, mine[i % mine.length]));
        }
    }

    @Benchmark
    @OperationsPerInvocation(TURN)
    @Operation("Groups/next, behind n blocked messages/{strategy}/n={blocked}/lib=broker-j")
    public QueueEntry[] next() {
        for (int i = 0; i < TURN; i++) {
            taken[i] = queue.next(consumer);
        }
        return taken;
    }

    @TearDown(Level.Invocation)
    public void settle() {
        for (QueueEntry e : taken) {
            e.delete(); // fails where nothing was given
        }
    }
}
