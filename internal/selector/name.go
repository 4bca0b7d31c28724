package selector

import "strings"

// A Field is a field of a message that has a name in selectors. The zero Field stands for
// an application property.
type Field uint8

const (
	Property Field = iota
	JMSDeliveryMode
	JMSPriority
	JMSTimestamp
	JMSMessageID
	JMSCorrelationID
	JMSType
	JMSXGroupID
	JMSXGroupSeq
	JMSXUserID
	JMSXDeliveryCount
	ContentType     // JMS_AMQP_CONTENT_TYPE
	ContentEncoding // JMS_AMQP_CONTENT_ENCODING
	ReplyToGroupID  // JMS_AMQP_REPLY_TO_GROUP_ID
	TTL             // JMS_AMQP_TTL, which no received message has
)

// A Name is one that a selector uses.
type Name struct {
	Text  string
	Field Field
}

// fieldOf returns the field that a name stands for. It reports false for a name that
// cannot be selected on. [jms 3.8.1.1]
func fieldOf(name string) (Field, bool) {
	if !strings.HasPrefix(name, "JMS") {
		return Property, true
	}
	switch name {
	case "JMSDeliveryMode":
		return JMSDeliveryMode, true
	case "JMSPriority":
		return JMSPriority, true
	case "JMSTimestamp":
		return JMSTimestamp, true
	case "JMSMessageID":
		return JMSMessageID, true
	case "JMSCorrelationID":
		return JMSCorrelationID, true
	case "JMSType":
		return JMSType, true
	case "JMSXGroupID":
		return JMSXGroupID, true
	case "JMSXGroupSeq":
		return JMSXGroupSeq, true
	case "JMSXUserID":
		return JMSXUserID, true
	case "JMSXDeliveryCount":
		return JMSXDeliveryCount, true
	case "JMS_AMQP_CONTENT_TYPE":
		return ContentType, true
	case "JMS_AMQP_CONTENT_ENCODING":
		return ContentEncoding, true
	case "JMS_AMQP_REPLY_TO_GROUP_ID":
		return ReplyToGroupID, true
	case "JMS_AMQP_TTL":
		return TTL, true
	}
	return Property, strings.HasPrefix(name, "JMSX") || strings.HasPrefix(name, "JMS_")
}
