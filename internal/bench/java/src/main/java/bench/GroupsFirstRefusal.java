package bench;

import java.util.List;
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

/** A consumer is new whose selector refuses the first messages of 100,000 groups, and asks. */
@State(Scope.Thread)
public class GroupsFirstRefusal {
    private static final int GROUPS = 100_000;

    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    private GroupQueue queue;
    private GroupConsumer consumer;
    private int asked;

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        for (String group : GroupNames.of(GROUPS)) {
            queue.add(GroupMessage.of(0, group));
        }
    }

    @Setup(Level.Invocation)
    public void open() {
        asked = 0;
        consumer = queue.open(number -> {
            asked++;
            return false;
        });
    }

    @Benchmark
    @OperationsPerInvocation(GROUPS)
    @Operation("Groups/first next, for each group refused/{strategy}/lib=broker-j")
    public QueueEntry next() {
        return queue.next(consumer);
    }

    @TearDown(Level.Invocation)
    public void close() {
        Check.equal(asked, GROUPS, "messages that the selector was asked about");
        queue.close(consumer, List.of());
    }
}
