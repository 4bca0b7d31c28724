package org.apache.qpid.server.queue;

import java.lang.invoke.MethodHandle;
import org.apache.qpid.server.message.AMQMessageHeader;
import org.apache.qpid.server.message.MessageReference;
import org.apache.qpid.server.message.ServerMessage;
import org.apache.qpid.server.store.StorableMessageMetaData;
import org.apache.qpid.server.store.TransactionLogResource;

/** A message that is only a number and a group. It is its own header and, as nothing is stored, its own reference. */
public abstract class GroupMessage
        implements ServerMessage<StorableMessageMetaData>, AMQMessageHeader, MessageReference<GroupMessage> {
    private static final MethodHandle MAKE = Stub.constructor(GroupMessage.class, long.class, String.class);

    private final long number;
    private final String group;

    public GroupMessage(long number, String group) {
        this.number = number;
        this.group = group;
    }

    /** Makes a message. A group that is null is none. */
    public static GroupMessage of(long number, String group) {
        try {
            return (GroupMessage) MAKE.invokeExact(number, group);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final long getMessageNumber() {
        return number;
    }

    @Override
    public final String getGroupId() {
        return group;
    }

    @Override
    public final AMQMessageHeader getMessageHeader() {
        return this;
    }

    @Override
    public final GroupMessage getMessage() {
        return this;
    }

    @Override
    public final MessageReference<GroupMessage> newReference() {
        return this;
    }

    @Override
    public final MessageReference<GroupMessage> newReference(TransactionLogResource queue) {
        return this;
    }

    @Override
    public final void release() {}

    @Override
    public final void close() {}

    @Override
    public final boolean isPersistent() {
        return false;
    }

    @Override
    public final boolean checkValid() {
        return true;
    }

    /** 0 is never. */
    @Override
    public final long getExpiration() {
        return 0;
    }

    @Override
    public final long getSize() {
        return 256;
    }

    @Override
    public final long getSizeIncludingHeader() {
        return 256;
    }
}
