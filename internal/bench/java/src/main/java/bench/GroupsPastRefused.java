package bench;

import org.apache.qpid.server.queue.GroupConsumer;
import org.apache.qpid.server.queue.GroupMessage;
import org.apache.qpid.server.queue.GroupQueue;
import org.apache.qpid.server.queue.QueueEntry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A consumer whose selector refuses the first messages of 100,000 groups takes the one that it accepts, again and again.
 * Each time another consumer takes and releases one of the messages that it refuses.
 */
@State(Scope.Thread)
public class GroupsPastRefused {
    private static final int GROUPS = 100_000;

    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    private GroupQueue queue;
    private GroupConsumer consumer;
    private GroupConsumer other;
    private String mine;
    private QueueEntry taken;

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        consumer = queue.open(number -> number == 1);
        other = queue.open(null);
        String[] names = GroupNames.of(GROUPS + 1);
        for (int i = 0; i < GROUPS; i++) {
            queue.add(GroupMessage.of(0, names[i]));
        }
        mine = names[GROUPS];
        Check.equal(queue.next(consumer), null, "what the consumer has");
    }

    @Setup(Level.Invocation)
    public void add() {
        queue.add(GroupMessage.of(1, mine));
        queue.next(other).release(other);
    }

    @Benchmark
    @Operation("Groups/next, past 100,000 refused groups/{strategy}/lib=broker-j")
    public QueueEntry next() {
        return taken = queue.next(consumer);
    }

    @TearDown(Level.Invocation)
    public void settle() {
        taken.delete(); // fails where nothing was given
    }
}
