package interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Decimal128;
import org.apache.qpid.proton.amqp.Decimal32;
import org.apache.qpid.proton.amqp.Decimal64;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;

/** Values with their types as JSON, {@code {"t": type, "v": value}}, and back. */
final class Tagged {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Tagged() {}

    /** Returns a value as JSON. A type this class has no word for is "java", without contents. */
    static ObjectNode of(Object value) throws JMSException {
        if (value == null) {
            return node("null");
        } else if (value instanceof Boolean v) {
            return node("boolean").put("v", v);
        } else if (value instanceof Byte v) {
            return node("byte").put("v", v);
        } else if (value instanceof Short v) {
            return node("short").put("v", v);
        } else if (value instanceof Integer v) {
            return node("int").put("v", v);
        } else if (value instanceof Long v) {
            return node("long").put("v", v.toString());
        } else if (value instanceof Float v) {
            return node("float").put("v", v.toString())
                    .put("bits", HexFormat.of().toHexDigits(Float.floatToRawIntBits(v)));
        } else if (value instanceof Double v) {
            return node("double").put("v", v.toString())
                    .put("bits", HexFormat.of().toHexDigits(Double.doubleToRawLongBits(v)));
        } else if (value instanceof Character v) {
            return node("char").put("v", (int) v);
        } else if (value instanceof String v) {
            return node("string").put("v", v);
        } else if (value instanceof UUID v) {
            return node("uuid").put("v", v.toString());
        } else if (value instanceof Date v) {
            return node("timestamp").put("v", Long.toString(v.getTime()));
        } else if (value instanceof byte[] v) {
            return node("bytes").put("v", HexFormat.of().formatHex(v));
        } else if (value instanceof Destination v) {
            return destination(v);
        } else if (value instanceof List<?> v) {
            return (ObjectNode) node("list").set("v", list(v));
        } else if (value instanceof Map<?, ?> v) {
            return (ObjectNode) node("map").set("v", pairs(v));
        } else if (value.getClass().isArray()) {
            List<Object> elements = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                elements.add(Array.get(value, i));
            }
            return (ObjectNode) node("array").set("v", list(elements));
        }
        return ofAmqp(value);
    }

    /** The types that AMQP has and Java has not: the client hands its codec's own classes out. */
    private static ObjectNode ofAmqp(Object value) throws JMSException {
        if (value instanceof UnsignedByte v) {
            return node("ubyte").put("v", v.intValue());
        } else if (value instanceof UnsignedShort v) {
            return node("ushort").put("v", v.intValue());
        } else if (value instanceof UnsignedInteger v) {
            return node("uint").put("v", v.longValue());
        } else if (value instanceof UnsignedLong v) {
            return node("ulong").put("v", v.bigIntegerValue().toString());
        } else if (value instanceof Symbol v) {
            return node("symbol").put("v", v.toString());
        } else if (value instanceof Binary v) {
            byte[] b = v.getArray();
            int from = v.getArrayOffset();
            return node("binary").put("v", HexFormat.of().formatHex(b, from, from + v.getLength()));
        } else if (value instanceof Decimal32 v) {
            return node("decimal32").put("v", HexFormat.of().toHexDigits(v.getBits()));
        } else if (value instanceof Decimal64 v) {
            return node("decimal64").put("v", HexFormat.of().toHexDigits(v.getBits()));
        } else if (value instanceof Decimal128 v) {
            return node("decimal128").put("v", HexFormat.of().formatHex(v.asBytes()));
        } else if (value instanceof DescribedType v) {
            ObjectNode n = node("described");
            n.set("descriptor", of(v.getDescriptor()));
            n.set("v", of(v.getDescribed()));
            return n;
        }
        return node("java");
    }

    /** An exception, by its words: classes are Java's affair. */
    static ObjectNode error(Throwable e) {
        ObjectNode n = node("error").put("message", String.valueOf(e.getMessage()));
        n.put("cause", e.getCause() == null ? null : String.valueOf(e.getCause().getMessage()));
        return n;
    }

    /** Returns what the JSON of a value stands for. Destinations need a session: see JmsApp. */
    static Object parse(JsonNode n) {
        JsonNode v = n.path("v");
        String type = n.path("t").asText();
        switch (type) {
            case "null": return null;
            case "boolean": return v.booleanValue();
            case "byte": return (byte) v.intValue();
            case "short": return (short) v.intValue();
            case "int": return v.intValue();
            case "long": return Long.valueOf(v.textValue());
            case "float": return Float.valueOf(v.textValue());
            case "double": return Double.valueOf(v.textValue());
            case "char": return (char) v.intValue();
            case "string": return v.textValue();
            case "uuid": return UUID.fromString(v.textValue());
            case "timestamp": return new Date(Long.parseLong(v.textValue()));
            case "bytes": return HexFormat.of().parseHex(v.textValue());
            case "ubyte": return UnsignedByte.valueOf((byte) v.intValue());
            case "ushort": return UnsignedShort.valueOf((short) v.intValue());
            case "uint": return UnsignedInteger.valueOf(v.longValue());
            case "ulong": return UnsignedLong.valueOf(new BigInteger(v.textValue()));
            case "symbol": return Symbol.valueOf(v.textValue());
            case "binary": return new Binary(HexFormat.of().parseHex(v.textValue()));
            case "list":
                List<Object> list = new ArrayList<>();
                v.forEach(e -> list.add(parse(e)));
                return list;
            case "map":
                Map<Object, Object> map = new LinkedHashMap<>();
                v.forEach(pair -> map.put(parse(pair.get(0)), parse(pair.get(1))));
                return map;
            default:
                throw new IllegalArgumentException("no such type of value: " + n);
        }
    }

    private static ObjectNode node(String type) {
        return JSON.objectNode().put("t", type);
    }

    private static ObjectNode destination(Destination d) throws JMSException {
        ObjectNode n = node("destination");
        if (d instanceof TemporaryQueue q) {
            return n.put("kind", "temporary-queue").put("name", q.getQueueName());
        } else if (d instanceof TemporaryTopic t) {
            return n.put("kind", "temporary-topic").put("name", t.getTopicName());
        } else if (d instanceof Queue q) {
            return n.put("kind", "queue").put("name", q.getQueueName());
        }
        return n.put("kind", "topic").put("name", ((Topic) d).getTopicName());
    }

    private static ArrayNode list(List<?> values) throws JMSException {
        ArrayNode n = JSON.arrayNode();
        for (Object v : values) {
            n.add(of(v));
        }
        return n;
    }

    private static ArrayNode pairs(Map<?, ?> map) throws JMSException {
        ArrayNode n = JSON.arrayNode();
        for (Map.Entry<?, ?> e : map.entrySet()) {
            n.addArray().add(of(e.getKey())).add(of(e.getValue()));
        }
        return n;
    }
}
