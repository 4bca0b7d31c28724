package interop;

import java.util.Map;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.CoreAddressConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/**
 * ActiveMQ Artemis in memory, on 127.0.0.1: {@code EmbeddedArtemis PORT}. It is set up as
 * {@code artemis create --allow-anonymous --disable-persistence --no-web} sets up a broker, as far as
 * AMQP clients can see.
 */
public final class EmbeddedArtemis {
    private EmbeddedArtemis() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Configuration configuration = new ConfigurationImpl()
                .setName("interop")
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .setJMXManagementEnabled(false)
                .addAcceptorConfiguration("artemis", "tcp://127.0.0.1:" + port + "?protocols=AMQP"
                        + ";amqpCredits=1000;amqpLowCredits=300;amqpMinLargeMessageSize=102400"
                        + ";amqpDuplicateDetection=true")
                .setAddressSettings(Map.of("#", new AddressSettings()
                        .setDeadLetterAddress(SimpleString.of("DLQ"))
                        .setExpiryAddress(SimpleString.of("ExpiryQueue"))
                        .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
                        .setAutoCreateQueues(true)
                        .setAutoCreateAddresses(true)
                        .setAutoDeleteQueues(false)
                        .setAutoDeleteAddresses(false)))
                .addAddressConfiguration(queue("DLQ"))
                .addAddressConfiguration(queue("ExpiryQueue"));
        ActiveMQServer server = ActiveMQServers.newActiveMQServer(configuration, false);
        server.start();

        UntilClosed.ready(port);
        System.exit(0);
    }

    private static CoreAddressConfiguration queue(String name) {
        return new CoreAddressConfiguration()
                .setName(name)
                .addRoutingType(RoutingType.ANYCAST)
                .addQueueConfig(QueueConfiguration.of(name).setRoutingType(RoutingType.ANYCAST));
    }
}
