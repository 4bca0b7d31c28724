package interop;

import jakarta.jms.Connection;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import org.apache.qpid.jms.JmsConnectionFactory;

/** A JMS application that asks on a queue and prints the reply: {@code Ask URL QUEUE TEXT}. */
public final class Ask {
    private static final long TIMEOUT_MILLIS = 10_000;

    private Ask() {}

    public static void main(String[] args) throws Exception {
        try (Connection connection = new JmsConnectionFactory(args[0]).createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue replies = session.createTemporaryQueue();
            TextMessage request = session.createTextMessage(args[2]);
            request.setJMSReplyTo(replies);
            MessageProducer producer = session.createProducer(session.createQueue(args[1]));
            producer.setTimeToLive(TIMEOUT_MILLIS); // later nobody waits for the reply
            producer.send(request);

            // Only what correlates is taken for the reply.
            String correlated = "JMSCorrelationID = '" + request.getJMSMessageID() + "'";
            MessageConsumer consumer = session.createConsumer(replies, correlated);
            if (!(consumer.receive(TIMEOUT_MILLIS) instanceof TextMessage reply)) {
                System.err.println("no reply within " + TIMEOUT_MILLIS + " ms: does internal/cmd/replier run?");
                System.exit(1);
                return;
            }
            System.out.println("asked   " + request.getJMSMessageID() + ": " + request.getText());
            System.out.println("replied " + reply.getJMSCorrelationID() + ": " + reply.getText());
        }
        System.exit(0);
    }
}
