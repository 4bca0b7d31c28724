package org.apache.qpid.server.queue;

import java.lang.invoke.MethodHandle;
import java.util.function.LongPredicate;
import org.apache.qpid.server.consumer.ConsumerTarget;
import org.apache.qpid.server.message.MessageInstance.StealableConsumerAcquiredState;

/** A consumer of a GroupQueue, and where it stands in it. */
@SuppressWarnings("rawtypes") // Broker-J's own way with ConsumerTarget
public abstract class GroupConsumer implements QueueConsumer<GroupConsumer, ConsumerTarget> {
    private static final MethodHandle MAKE =
            Stub.constructor(GroupConsumer.class, GroupQueue.class, LongPredicate.class);

    private final GroupQueue queue;
    private final LongPredicate selector;
    private final StealableConsumerAcquiredState<GroupConsumer> acquired = new StealableConsumerAcquiredState<>(this);
    private QueueEntry seen;
    private QueueEntry released;
    private boolean closed;

    public GroupConsumer(GroupQueue queue, LongPredicate selector) {
        this.queue = queue;
        this.selector = selector;
        seen = queue.entries().getHead();
    }

    static GroupConsumer of(GroupQueue queue, LongPredicate selector) {
        try {
            return (GroupConsumer) MAKE.invokeExact(queue, selector);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** The entry to look at: one that returned to a place that was passed already, else the one after the last seen. */
    final QueueEntry candidate() {
        return released != null && seen.compareTo(released) >= 0 ? released : queue.entries().next(seen);
    }

    /** Goes on behind an entry that was not for this consumer. */
    final void passed(QueueEntry entry) {
        seen = entry;
        released = null;
    }

    /** Goes on behind an entry that this consumer got. */
    final void got(QueueEntry entry) {
        seen = entry;
        if (released == entry) {
            released = null;
        }
    }

    /** An entry may be had again. */
    final void again(QueueEntry entry) {
        if (released == null || released.compareTo(entry) > 0) {
            released = entry;
        }
    }

    final boolean isBehindReturned(QueueEntry entry) {
        return released != null && released.compareTo(entry) < 0;
    }

    final void markClosed() {
        closed = true;
    }

    @Override
    public final boolean hasInterest(QueueEntry entry) {
        return selector == null || selector.test(((GroupMessage) entry.getMessage()).getMessageNumber());
    }

    @Override
    public final StealableConsumerAcquiredState<GroupConsumer> getOwningState() {
        return acquired;
    }

    @Override
    public final GroupQueue getQueue() {
        return queue;
    }

    @Override
    public final boolean isClosed() {
        return closed;
    }
}
