package bench;

import java.util.List;
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

/** The first message that a consumer takes after it came, behind many that are for another. */
@State(Scope.Thread)
public class GroupsFirstBehindBlocked {
    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    @Param({"1000", "10000", "100000", "1000000"})
    public int blocked;

    private GroupQueue queue;
    private GroupConsumer consumer;
    private QueueEntry taken;

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        GroupConsumer other = queue.open(null);
        String[] names = GroupNames.of(101);
        for (int i = 0; i < 100; i++) {
            queue.add(GroupMessage.of(0, names[i]));
            Check.equal(queue.next(other) != null, true, "the other consumer has a message");
        }
        for (int i = 0; i < blocked; i++) {
            queue.add(GroupMessage.of(i, names[i % 100]));
        }
        queue.add(GroupMessage.of(blocked, names[100]));
    }

    @Setup(Level.Invocation)
    public void open() {
        consumer = queue.open(null);
    }

    @Benchmark
    @Operation("Groups/first next, behind n blocked messages/{strategy}/n={blocked}/lib=broker-j")
    public QueueEntry next() {
        return taken = queue.next(consumer);
    }

    @TearDown(Level.Invocation)
    public void close() {
        queue.close(consumer, List.of(taken)); // fails where nothing was given
    }
}
