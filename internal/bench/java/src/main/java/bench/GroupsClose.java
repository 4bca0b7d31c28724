package bench;

import java.util.ArrayList;
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

/** A consumer goes away that holds 100,000 messages. */
@State(Scope.Thread)
public class GroupsClose {
    private static final int MESSAGES = 100_000;

    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    @Param({"1 group", "1000 groups", "100,000 groups"})
    public String groups;

    private final List<QueueEntry> held = new ArrayList<>(MESSAGES);
    private GroupQueue queue;
    private GroupConsumer consumer;

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        String[] names = GroupNames.of(Integer.parseInt(groups.replace(",", "").replaceFirst(" .*", "")));
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(GroupMessage.of(i, names[i % names.length]));
        }
    }

    @Setup(Level.Invocation)
    public void take() {
        held.clear();
        consumer = queue.open(null);
        for (int i = 0; i < MESSAGES; i++) {
            held.add(queue.next(consumer));
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    @Operation("Groups/close, for each message, {groups}/{strategy}/lib=broker-j")
    public void close() {
        queue.close(consumer, held); // fails where a message was not given
    }
}
