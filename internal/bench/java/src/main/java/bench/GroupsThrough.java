package bench;

import java.util.Random;
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

/** Messages go through a queue with 10,000 groups in which 100,000 wait, to eight consumers. */
@State(Scope.Thread)
public class GroupsThrough {
    private static final int GROUPS = 10_000;
    private static final int MESSAGES = 100_000;
    private static final int TURN = 2000;

    @Param({"assigned", "shared"})
    public GroupQueue.Strategy strategy;

    @Param({"in turn", "at random"})
    public String order;

    private final Random random = new Random(1);
    private final String[] names = GroupNames.of(GROUPS);
    private final GroupConsumer[] consumers = new GroupConsumer[8];
    private final GroupMessage[] read = new GroupMessage[TURN];
    private GroupQueue queue;
    private int sent;

    @Setup
    public void setup() {
        queue = GroupQueue.of(strategy);
        for (int i = 0; i < consumers.length; i++) {
            consumers[i] = queue.open(null);
        }
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(message());
        }
    }

    /** The text of its group is its own, as it is when a message was just read. */
    private GroupMessage message() {
        int group = order.equals("at random") ? random.nextInt(GROUPS) : sent % GROUPS;
        return GroupMessage.of(sent++, new String(names[group].toCharArray()));
    }

    @Setup(Level.Invocation)
    public void read() {
        for (int i = 0; i < TURN; i++) {
            read[i] = message();
        }
    }

    @Benchmark
    @OperationsPerInvocation(TURN)
    @Operation("Groups/add, next, settle, 10,000 groups {order}/{strategy}/lib=broker-j")
    public void through() {
        for (int i = 0; i < TURN; i++) {
            queue.add(read[i]);
            QueueEntry e;
            int at = i;
            while ((e = queue.next(consumers[at % consumers.length])) == null) {
                at++;
            }
            e.delete();
        }
    }
}
