package amqpjms

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// headerView adds what JMS sees of a header.
func headerView(t *testing.T, v view, prefix string, h Header) {
	v.set(t, prefix+"JMSDeliveryMode", int32(h.JMSDeliveryMode(Unstated)))
	v.set(t, prefix+"JMSPriority", int32(h.JMSPriority()))
	v.set(t, prefix+"JMSRedelivered", h.JMSRedelivered())
	v.set(t, prefix+"special.JMSXDeliveryCount", h.JMSXDeliveryCount())
}

// headerFieldView adds the fields that a header states.
func headerFieldView(t *testing.T, v view, h Header) {
	if h.Mode != Unstated {
		v.set(t, "header.durable", h.Mode == Persistent)
	}
	if x, ok := h.Priority.Get(); ok {
		v.set(t, "header.priority", x)
	}
	if x, ok := h.TTL.Get(); ok {
		v.set(t, "header.ttl", x)
	}
	if x, ok := h.FirstAcquirer.Get(); ok {
		v.set(t, "header.first-acquirer", x)
	}
	if x, ok := h.DeliveryCount.Get(); ok {
		v.set(t, "header.delivery-count", x)
	}
}

// headerOfSend adds the bytes of the header that we write for what the application set on its producer.
func headerOfSend(t *testing.T, v view, c golden.Case) {
	if c.Wire() == nil {
		return
	}
	number := func(key string, unset int64) int64 {
		if x, ok := c.Value(key); ok {
			return x.V.(int64)
		}
		return unset
	}
	h := Header{Mode: DeliveryMode(number("set.deliveryMode", 2))}
	if v, ok := c.Value("set.receivedWire"); ok && c.Text("set.resendMode") == "forward" {
		var received RawMessage
		require.NoError(t, received.Parse(v.V.([]byte)))
		h.FirstAcquirer = received.Header.FirstAcquirer // the one field that no producer sets anew
	}
	if p := number("set.priority", DefaultPriority); p != DefaultPriority {
		h.Priority = Some(uint8(p)) // the peer never writes the default
	}
	ttl := number("set.timeToLive", 0)
	if ttl < 0 {
		_, err := HeaderFrom(&amqp.MessageHeader{TTL: time.Duration(ttl) * time.Millisecond})
		require.Error(t, err, c.At())
		v["error"] = golden.Value{Type: "text", V: "header"}
		return
	}
	h.TTL = headerTTL(ttl)
	for _, p := range c.All("set.property") {
		if p.Name != "JMS_AMQP_TTL" {
			continue
		}
		switch x := p.Value.V.(type) {
		case int64:
			h.TTL = headerTTL(x)
		case string:
			n, err := json.Number(x).Int64()
			require.NoError(t, err, c.At())
			h.TTL = headerTTL(n)
		}
	}
	v.set(t, "wire.header", h.AppendTo(nil))
}
