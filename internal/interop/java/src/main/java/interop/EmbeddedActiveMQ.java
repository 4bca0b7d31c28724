package interop;

import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.scheduler.memory.InMemoryJobSchedulerStore;

/** ActiveMQ Classic in memory, with its scheduler, on 127.0.0.1: {@code EmbeddedActiveMQ PORT}. */
public final class EmbeddedActiveMQ {
    private EmbeddedActiveMQ() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        BrokerService broker = new BrokerService();
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.setUseShutdownHook(false);
        broker.getSystemUsage().getMemoryUsage().setLimit(64 << 20);
        // Delays need the scheduler, which would write to disk if it had no store.
        broker.setSchedulerSupport(true);
        broker.setJobSchedulerStore(new InMemoryJobSchedulerStore());
        // The jms transformer maps every AMQP message to JMS and back, as a broker
        // does whose consumers speak several protocols.
        broker.addConnector("amqp://127.0.0.1:" + port + "?transport.transformer=jms");
        broker.start();
        broker.waitUntilStarted();

        UntilClosed.ready(port);
        System.exit(0);
    }
}
