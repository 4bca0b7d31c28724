package interop;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.Topic;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * A JMS application that does as it is told: a command on each line of standard input, an answer on
 * each line of standard output, both JSON objects. The README beside this project lists them. It uses
 * the JMS interfaces alone, so whatever it sees of AMQP is what any JMS application sees.
 */
public final class JmsApp {
    private static final long TIMEOUT_MILLIS = 10_000;

    private final ObjectMapper json = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .build();

    private Connection connection;
    private final Map<String, Subscription> subscriptions = new HashMap<>();
    private final Map<String, Destination> temporaries = new HashMap<>();

    /** The JMS call that is being made, for the answer when it throws. */
    private String step;

    /** A consumer with a session of its own, so that it can be recovered or rolled back alone. */
    private record Subscription(Session session, MessageConsumer consumer) implements AutoCloseable {
        @Override
        public void close() throws JMSException {
            session.close();
        }
    }

    public static void main(String[] args) throws Exception {
        // Standard output carries answers and nothing else.
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        JmsApp app = new JmsApp();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(app.answer(line));
        }
        // The client's threads may still wait for a peer that is gone.
        System.exit(0);
    }

    /** Carries out one command; what goes wrong is an answer too. */
    private String answer(String line) throws Exception {
        ObjectNode answer = json.createObjectNode();
        step = "command";
        try {
            run(json.readTree(line), answer);
        } catch (Exception e) {
            answer.removeAll();
            answer.set("error", Tagged.error(e).put("step", step));
        }
        return json.writeValueAsString(answer);
    }

    private void run(JsonNode command, ObjectNode answer) throws Exception {
        String op = command.path("op").asText();
        switch (op) {
            case "connect" -> connect(command.path("url").textValue());
            case "temporary" -> answer.set("destination", temporary(command.path("kind").asText()));
            case "send" -> answer.set("observed", send(command));
            case "subscribe" -> subscribe(command);
            case "unsubscribe" -> unsubscribe(command.path("consumer").asText());
            case "delete-subscription" -> deleteSubscription(command.path("subscription").asText());
            case "receive" -> answer.set("message", receive(command));
            case "reply" -> reply(command, answer);
            case "close" -> close();
            case "quit" -> {
                close();
                System.exit(0);
            }
            default -> throw new IllegalArgumentException("no such command: " + op);
        }
    }

    private void connect(String url) throws JMSException {
        close();
        step = "connect";
        JmsConnectionFactory factory = new JmsConnectionFactory();
        // The client's own defaults wait for ever; options in the URL go first.
        factory.setConnectTimeout(TIMEOUT_MILLIS);
        factory.setRequestTimeout(TIMEOUT_MILLIS);
        factory.setSendTimeout(TIMEOUT_MILLIS);
        factory.setCloseTimeout(TIMEOUT_MILLIS);
        factory.setRemoteURI(url);
        connection = factory.createConnection();
        connection.start();
    }

    private void close() throws JMSException {
        step = "close";
        Connection c = connection;
        connection = null;
        subscriptions.clear();
        temporaries.clear();
        if (c != null) {
            c.close();
        }
    }

    private JsonNode temporary(String kind) throws JMSException {
        try (Session session = session(Session.AUTO_ACKNOWLEDGE)) {
            step = "createTemporary";
            Destination d = switch (kind) {
                case "temporary-queue" -> session.createTemporaryQueue();
                case "temporary-topic" -> session.createTemporaryTopic();
                default -> throw new IllegalArgumentException("no such kind of temporary destination: " + kind);
            };
            ObjectNode n = Tagged.of(d);
            temporaries.put(n.get("name").textValue(), d);
            return n;
        }
    }

    private JsonNode send(JsonNode command) throws JMSException {
        boolean transacted = command.path("transacted").asBoolean();
        try (Session session = session(transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE)) {
            Message m = message(session, command);
            send(session, destination(session, command.path("destination")), m, command);
            if (transacted) {
                step = "commit";
                session.commit();
            }
            return View.withoutBody(m);
        }
    }

    private void send(Session session, Destination to, Message m, JsonNode command) throws JMSException {
        step = "configureProducer";
        try (MessageProducer producer = session.createProducer(to)) {
            for (Map.Entry<String, JsonNode> e : command.properties()) {
                JsonNode v = e.getValue();
                switch (e.getKey()) {
                    case "deliveryMode" -> producer.setDeliveryMode(v.intValue());
                    case "priority" -> producer.setPriority(v.intValue());
                    case "timeToLive" -> producer.setTimeToLive(Long.parseLong(v.asText()));
                    case "deliveryDelay" -> producer.setDeliveryDelay(Long.parseLong(v.asText()));
                    case "disableMessageID" -> producer.setDisableMessageID(v.booleanValue());
                    case "disableMessageTimestamp" -> producer.setDisableMessageTimestamp(v.booleanValue());
                    default -> {
                        // The message's own.
                    }
                }
            }
            step = "send";
            producer.send(m);
        }
    }

    /** Makes the message that a command describes: its kind and body, headers and properties. */
    private Message message(Session session, JsonNode command) throws JMSException {
        step = "createMessage";
        Message m = body(session, command.path("message").asText("text"), command.get("body"));
        for (Map.Entry<String, JsonNode> e : command.path("headers").properties()) {
            step = "set" + e.getKey();
            JsonNode v = e.getValue();
            switch (e.getKey()) {
                case "JMSCorrelationID" -> m.setJMSCorrelationID((String) Tagged.parse(v));
                case "JMSCorrelationIDAsBytes" -> m.setJMSCorrelationIDAsBytes((byte[]) Tagged.parse(v));
                case "JMSReplyTo" -> m.setJMSReplyTo(destination(session, v));
                case "JMSType" -> m.setJMSType((String) Tagged.parse(v));
                default -> throw new IllegalArgumentException("no such header to set: " + e.getKey());
            }
        }
        for (JsonNode pair : command.path("properties")) {
            String name = pair.get(0).textValue();
            step = "setProperty " + name;
            m.setObjectProperty(name, Tagged.parse(pair.get(1)));
        }
        return m;
    }

    private static Message body(Session session, String kind, JsonNode body) throws JMSException {
        Object value = body == null ? null : Tagged.parse(body);
        switch (kind) {
            case "message":
                return session.createMessage();
            case "text":
                return session.createTextMessage((String) value);
            case "bytes":
                BytesMessage bytes = session.createBytesMessage();
                if (value != null) {
                    bytes.writeBytes((byte[]) value);
                }
                return bytes;
            case "map":
                MapMessage map = session.createMapMessage();
                if (value != null) {
                    for (Map.Entry<?, ?> e : ((Map<?, ?>) value).entrySet()) {
                        map.setObject((String) e.getKey(), e.getValue());
                    }
                }
                return map;
            case "stream":
                StreamMessage stream = session.createStreamMessage();
                if (value != null) {
                    for (Object element : (Iterable<?>) value) {
                        stream.writeObject(element);
                    }
                }
                return stream;
            case "object":
            case "typed-object":
                ObjectMessage object = session.createObjectMessage();
                if (kind.equals("typed-object")) {
                    // Must come before the object, which is encoded when it is set.
                    object.setBooleanProperty("JMS_AMQP_TYPED_ENCODING", true);
                }
                object.setObject((Serializable) value);
                return object;
            default:
                throw new IllegalArgumentException("no such kind of message: " + kind);
        }
    }

    private void subscribe(JsonNode command) throws JMSException {
        String name = command.path("consumer").asText();
        if (subscriptions.containsKey(name)) {
            throw new IllegalArgumentException("there is a consumer of this name: " + name);
        }
        subscriptions.put(name, open(command));
    }

    private void unsubscribe(String name) throws JMSException {
        Subscription s = subscription(name);
        subscriptions.remove(name);
        step = "close";
        s.close();
    }

    private Subscription subscription(String name) {
        Subscription s = subscriptions.get(name);
        if (s == null) {
            throw new IllegalArgumentException("no such consumer: " + name);
        }
        return s;
    }

    private Subscription open(JsonNode command) throws JMSException {
        String ack = command.path("ack").asText("auto");
        Session session = session(switch (ack) {
            case "auto" -> Session.AUTO_ACKNOWLEDGE;
            case "client" -> Session.CLIENT_ACKNOWLEDGE;
            case "transacted" -> Session.SESSION_TRANSACTED;
            default -> throw new IllegalArgumentException("no such way to acknowledge: " + ack);
        });
        step = "createConsumer";
        try {
            Destination from = destination(session, command.path("destination"));
            return new Subscription(session, consumer(session, from, command));
        } catch (JMSException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Makes a consumer of whichever kind a command names. */
    private MessageConsumer consumer(Session session, Destination from, JsonNode command) throws JMSException {
        String selector = command.path("selector").textValue();
        boolean noLocal = command.path("noLocal").asBoolean();
        String name = command.path("subscription").asText();
        if (name.isEmpty()) {
            return session.createConsumer(from, selector, noLocal);
        }
        boolean durable = command.path("durable").asBoolean();
        if (!command.path("shared").asBoolean()) {
            return session.createDurableConsumer((Topic) from, name, selector, noLocal);
        }
        return durable
                ? session.createSharedDurableConsumer((Topic) from, name, selector)
                : session.createSharedConsumer((Topic) from, name, selector);
    }

    /** Deletes a durable subscription, which no consumer may use. */
    private void deleteSubscription(String name) throws JMSException {
        try (Session session = session(Session.AUTO_ACKNOWLEDGE)) {
            step = "unsubscribe";
            session.unsubscribe(name);
        }
    }

    private JsonNode receive(JsonNode command) throws JMSException {
        if (command.has("consumer")) {
            return receive(subscription(command.get("consumer").asText()), command);
        }
        try (Subscription s = open(command)) {
            return receive(s, command);
        }
    }

    private JsonNode receive(Subscription s, JsonNode command) throws JMSException {
        Message m = next(s, command);
        if (m == null) {
            return null;
        }
        // Before the session's state changes: a view of a recovered message is another delivery's.
        JsonNode view = View.withBody(m);
        int mode = s.session().getAcknowledgeMode();
        String then = command.path("then").asText(switch (mode) {
            case Session.CLIENT_ACKNOWLEDGE -> "acknowledge";
            case Session.SESSION_TRANSACTED -> "commit";
            default -> "nothing";
        });
        step = then;
        switch (then) {
            case "acknowledge" -> m.acknowledge();
            case "recover" -> s.session().recover();
            case "commit" -> s.session().commit();
            case "rollback" -> s.session().rollback();
            case "nothing" -> {
                // Acknowledged already, or left to whatever closes the session.
            }
            default -> throw new IllegalArgumentException("no such thing to do after receiving: " + then);
        }
        return view;
    }

    private Message next(Subscription s, JsonNode command) throws JMSException {
        step = "receive";
        long timeout = command.path("timeout").asLong(TIMEOUT_MILLIS);
        // To JMS, 0 means to wait for ever.
        return timeout > 0 ? s.consumer().receive(timeout) : s.consumer().receiveNoWait();
    }

    /** Answers a request with the little that every JMS application does for a reply. */
    private void reply(JsonNode command, ObjectNode answer) throws JMSException {
        try (Subscription s = open(command)) {
            Message request = next(s, command);
            if (request == null) {
                answer.putNull("request");
                return;
            }
            answer.set("request", View.withBody(request));
            Message reply = message(s.session(), command);
            step = "setJMSCorrelationID";
            boolean passOn = command.path("passCorrelationID").asBoolean();
            reply.setJMSCorrelationID(passOn ? request.getJMSCorrelationID() : request.getJMSMessageID());
            send(s.session(), request.getJMSReplyTo(), reply, command);
            answer.set("observed", View.withoutBody(reply));
        }
    }

    private Session session(int mode) throws JMSException {
        if (connection == null) {
            throw new IllegalStateException("not connected");
        }
        step = "createSession";
        return connection.createSession(mode);
    }

    private Destination destination(Session session, JsonNode n) throws JMSException {
        String kind = n.path("kind").asText();
        String name = n.path("name").asText();
        switch (kind) {
            case "queue":
                return session.createQueue(name);
            case "topic":
                return session.createTopic(name);
            case "temporary-queue":
            case "temporary-topic":
                Destination d = temporaries.get(name);
                if (d == null) {
                    throw new IllegalArgumentException("no such temporary destination: " + name);
                }
                return d;
            default:
                throw new IllegalArgumentException("no such kind of destination: " + n);
        }
    }
}
