package interop;

import java.net.URL;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/**
 * Qpid Broker-J in memory, on 127.0.0.1: {@code EmbeddedBrokerJ PORT}. What it makes of the name of a
 * queue that a link asks for stands in broker-j-virtualhost.json.
 */
public final class EmbeddedBrokerJ {
    private EmbeddedBrokerJ() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        // The configuration takes its ${...} from here.
        System.setProperty("interop.port", args[0]);
        URL configuration = EmbeddedBrokerJ.class.getResource("broker-j.json");
        new SystemLauncher().startup(Map.of(
                "type", "Memory",
                "initialConfigurationLocation", configuration.toExternalForm(),
                "startupLoggedToSystemOut", true));

        UntilClosed.ready(port);
        System.exit(0);
    }
}
