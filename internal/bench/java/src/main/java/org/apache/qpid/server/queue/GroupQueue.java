package org.apache.qpid.server.queue;

import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.qpid.server.message.MessageInstance.EntryState;
import org.apache.qpid.server.store.MessageDurability;

/**
 * One of Broker-J's group managers with what it needs around it: Broker-J's own list of entries, and this in
 * place of the queue. It is in Broker-J's package, for the managers' constructors are.
 *
 * <p>What a real queue does besides is left out: credit, targets, statistics of consumers, stores, locks.
 */
public abstract class GroupQueue implements StandardQueue<GroupQueue>, MessageGroupManager.ConsumerResetHelper {
    /** The buckets of groups that a queue has if it does not say otherwise, where groups are assigned. */
    public static final int BUCKETS = 255;

    private static final MethodHandle MAKE = Stub.constructor(GroupQueue.class, Strategy.class, int.class);

    /** The two values of messageGroupType that are a strategy, by our names. */
    public enum Strategy { assigned, shared }

    private final QueueEntryList entries;
    private final MessageGroupManager manager;
    private final List<GroupConsumer> consumers = new ArrayList<>();

    public GroupQueue(Strategy strategy, int buckets) {
        entries = new StandardQueueEntryList(this, new QueueStatistics());
        manager = switch (strategy) {
            case assigned -> new AssignedConsumerMessageGroupManager(null, buckets);
            case shared -> new DefinedGroupMessageGroupManager(null, "qpid.no-group", this);
        };
    }

    /**
     * Makes a queue whose groups are each assigned by itself, as ours are. For that it has so many buckets that few
     * groups share one.
     */
    public static GroupQueue of(Strategy strategy) {
        return of(strategy, 1 << 24);
    }

    public static GroupQueue of(Strategy strategy, int buckets) {
        try {
            return (GroupQueue) MAKE.invokeExact(strategy, buckets);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    final QueueEntryList entries() {
        return entries;
    }

    public final void add(GroupMessage message) {
        entries.add(message, null);
    }

    /** Opens a consumer. The selector is asked with the number of a message; null: it takes all. */
    public final GroupConsumer open(LongPredicate selector) {
        GroupConsumer c = GroupConsumer.of(this, selector);
        consumers.add(c);
        return c;
    }

    /** Acquires for a consumer the next message that it may have; null: there is none. */
    public final QueueEntry next(GroupConsumer c) {
        QueueEntry e;
        while ((e = c.candidate()) != null) {
            if (!e.isAvailable() || e.expired() || !c.hasInterest(e) || !manager.mightAssign(e, c)) {
                c.passed(e);
            } else if (manager.acceptMessage(c, e)) {
                c.got(e);
                return e;
            } // else it may have an earlier one, which a real queue finds when it notifies the consumer: once more
        }
        return null;
    }

    /** Closes a consumer, which holds these messages: they return to their places. */
    public final void close(GroupConsumer c, List<QueueEntry> held) {
        c.markClosed();
        consumers.remove(c);
        QueueEntry first = manager.findEarliestAssignedAvailableEntry(c);
        manager.clearAssignments(c);
        if (first != null) {
            resetSubPointersForGroups(first);
        }
        for (QueueEntry e : held) {
            e.release(c);
        }
    }

    @Override
    public final void resetSubPointersForGroups(QueueEntry entry) {
        for (GroupConsumer c : consumers) {
            c.again(entry);
        }
    }

    @Override
    public final boolean isEntryAheadOfConsumer(QueueEntry entry, QueueConsumer<?, ?> consumer) {
        return ((GroupConsumer) consumer).isBehindReturned(entry);
    }

    @Override
    public final void requeue(QueueEntry entry) {
        if (entry.isAvailable()) {
            resetSubPointersForGroups(entry);
        }
    }

    @Override
    public final void visit(QueueEntryVisitor visitor) {
        QueueEntryIterator i = entries.iterator();
        while (i.advance()) {
            QueueEntry e = i.getNode();
            if (!e.isDeleted() && visitor.visit(e)) {
                return;
            }
        }
    }

    @Override
    public final boolean isDeleted() {
        return false;
    }

    @Override
    public final void checkCapacity() {}

    @Override
    public final MessageDurability getMessageDurability() {
        return MessageDurability.DEFAULT;
    }

    /** Asked once, by the list of entries: how many deleted ones it leaves between others. */
    @Override
    public final <T> T getContextValue(Class<T> type, String name) {
        if (!name.equals(QUEUE_SCAVANGE_COUNT)) {
            throw new IllegalArgumentException("no value for " + name);
        }
        return type.cast(DEFAULT_QUEUE_SCAVANGE_COUNT);
    }
}
