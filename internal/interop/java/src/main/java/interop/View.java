package interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The whole of a message as a JMS application sees it: one value, or one error, for each getter. */
final class View {
    /** Properties that stand for fields of AMQP's own; shown whether they exist or not. */
    private static final List<String> SPECIAL = List.of(
            "JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID",
            "JMS_AMQP_TTL", "JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_TYPED_ENCODING");

    private interface Getter {
        Object get() throws Exception;
    }

    private View() {}

    /** The view of a message that was received. */
    static ObjectNode withBody(Message m) throws JMSException {
        ObjectNode n = withoutBody(m);
        n.set("body", body(m));
        return n;
    }

    /** The view of a message that was sent: its body can only be written. */
    static ObjectNode withoutBody(Message m) throws JMSException {
        ObjectNode n = JsonNodeFactory.instance.objectNode();
        n.put("type", kind(m));
        n.set("JMSMessageID", get(m::getJMSMessageID));
        n.set("JMSCorrelationID", get(m::getJMSCorrelationID));
        n.set("JMSCorrelationIDAsBytes", get(m::getJMSCorrelationIDAsBytes));
        n.set("JMSTimestamp", get(m::getJMSTimestamp));
        n.set("JMSExpiration", get(m::getJMSExpiration));
        n.set("JMSDeliveryTime", get(m::getJMSDeliveryTime));
        n.set("JMSPriority", get(m::getJMSPriority));
        n.set("JMSDeliveryMode", get(m::getJMSDeliveryMode));
        n.set("JMSRedelivered", get(m::getJMSRedelivered));
        n.set("JMSType", get(m::getJMSType));
        n.set("JMSDestination", get(m::getJMSDestination));
        n.set("JMSReplyTo", get(m::getJMSReplyTo));

        ObjectNode special = n.putObject("special");
        for (String name : SPECIAL) {
            ObjectNode p = special.putObject(name);
            p.set("exists", get(() -> m.propertyExists(name)));
            p.set("value", get(() -> m.getObjectProperty(name)));
        }

        TreeSet<String> names = new TreeSet<>();
        for (Object name : list(m.getPropertyNames())) {
            names.add((String) name);
        }
        ArrayNode listed = n.putArray("propertyNames");
        ObjectNode properties = n.putObject("properties");
        ObjectNode asString = n.putObject("propertiesAsString");
        ObjectNode asLong = n.putObject("propertiesAsLong");
        for (String name : names) {
            listed.add(name);
            if (!SPECIAL.contains(name)) {
                properties.set(name, get(() -> m.getObjectProperty(name)));
                asString.set(name, get(() -> m.getStringProperty(name)));
                asLong.set(name, get(() -> m.getLongProperty(name)));
            }
        }
        return n;
    }

    private static JsonNode get(Getter getter) {
        try {
            return Tagged.of(getter.get());
        } catch (Exception e) {
            return Tagged.error(e);
        }
    }

    private static String kind(Message m) {
        if (m instanceof TextMessage) {
            return "text";
        } else if (m instanceof BytesMessage) {
            return "bytes";
        } else if (m instanceof MapMessage) {
            return "map";
        } else if (m instanceof StreamMessage) {
            return "stream";
        } else if (m instanceof ObjectMessage) {
            return "object";
        }
        return "message";
    }

    private static JsonNode body(Message m) {
        if (m instanceof TextMessage text) {
            return get(text::getText);
        } else if (m instanceof BytesMessage bytes) {
            return get(() -> {
                byte[] b = new byte[(int) bytes.getBodyLength()];
                bytes.readBytes(b);
                return b;
            });
        } else if (m instanceof MapMessage map) {
            return get(() -> map(map));
        } else if (m instanceof StreamMessage stream) {
            return stream(stream);
        } else if (m instanceof ObjectMessage object) {
            return get(object::getObject);
        }
        return JsonNodeFactory.instance.objectNode().put("t", "none");
    }

    /** The interfaces of JMS are older than type parameters. */
    private static List<?> list(Enumeration<?> names) {
        return Collections.list(names);
    }

    private static Map<String, Object> map(MapMessage m) throws JMSException {
        Map<String, Object> entries = new LinkedHashMap<>();
        for (Object name : list(m.getMapNames())) {
            entries.put((String) name, m.getObject((String) name));
        }
        return entries;
    }

    /** What can be read stays; where reading fails, the error is the last element. */
    private static JsonNode stream(StreamMessage m) {
        ObjectNode n = JsonNodeFactory.instance.objectNode().put("t", "list");
        ArrayNode elements = n.putArray("v");
        try {
            while (true) {
                elements.add(Tagged.of(m.readObject()));
            }
        } catch (MessageEOFException end) {
            return n;
        } catch (JMSException e) {
            elements.add(Tagged.error(e));
            return n;
        }
    }
}
