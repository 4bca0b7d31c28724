//go:build interop

package interop

import (
	"context"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

func redeliveryFeatures() []feature {
	modify := func(o amqp.ModifyMessageOptions) ending {
		return func(ctx context.Context, r *receiver, m *amqp.Message) error { return r.ModifyMessage(ctx, m, &o) }
	}
	var fs []feature
	for _, c := range []struct {
		name  string
		end   ending
		again int32 // JMSXDeliveryCount when the same receiver gets it again; 0: it does not
		next  int32 // when another one gets it
	}{
		{"releases", func(ctx context.Context, r *receiver, m *amqp.Message) error { return r.ReleaseMessage(ctx, m) }, 1, 1},
		{"modifies", modify(amqp.ModifyMessageOptions{}), 1, 1},
		{"modifies, delivery failed", modify(amqp.ModifyMessageOptions{DeliveryFailed: true}), 2, 2},
		{"modifies, undeliverable here", modify(amqp.ModifyMessageOptions{UndeliverableHere: true}), 0, 1},
	} {
		fs = append(fs, feature{
			name: "Go " + c.name + ": Go again",
			run:  func(t *testing.T, s *site) diff { return returnedToGo(t, s, c.end, c.again) },
		}, feature{
			name: "Go " + c.name + ": JMS next",
			run:  func(t *testing.T, s *site) diff { return returnedToJMS(t, s, c.end, c.next) },
		})
	}
	for _, c := range []struct{ name, ack, then string }{
		{"rolls back", "transacted", "rollback"},
		{"recovers and closes", "client", "recover"},
		{"closes without acknowledging", "client", "nothing"},
	} {
		fs = append(fs, feature{
			name: "JMS " + c.name + ": Go next",
			run:  func(t *testing.T, s *site) diff { return returnedByJMS(t, s, c.ack, c.then) },
		})
	}
	return fs
}

// ending ends the delivery of a message that Go received.
type ending func(context.Context, *receiver, *amqp.Message) error

// takeAndReturn has Go take a message and give it back. The receiver that it returns has
// no credit.
func takeAndReturn(t *testing.T, s *site, q node, end ending, d *diff) *receiver {
	s.client.send(t, s.producer(q), text(""))
	r, err := s.tryOpen(t, q, amqp.ReceiverOptions{Credit: -1})
	require.NoError(t, err)
	require.NoError(t, r.IssueCredit(1))
	m := r.take(t, patience)
	require.NotNil(t, m.Message, "nothing came")
	d.want("JMSXDeliveryCount at first", 1, m.view.DeliveryCount())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, end(ctx, r, m.Message))
	return r
}

// returnedToGo shows how often a message was delivered that Go gave back and gets again,
// 0 if it should not.
func returnedToGo(t *testing.T, s *site, end ending, count int32) (d diff) {
	q := s.node(t, "queue")
	r := takeAndReturn(t, s, q, end, &d)
	require.NoError(t, r.IssueCredit(1))
	got := r.take(t, 300*time.Millisecond)
	comes := got.Message != nil
	d.want("that it comes again", count > 0, comes)
	if comes {
		r.accept(t, got)
		d.want("JMSXDeliveryCount", count, got.view.DeliveryCount())
		d.want("JMSRedelivered", count > 1, got.view.Redelivered())
	}
	return d
}

// returnedToJMS shows how often a message was delivered that Go gave back before it went
// away, to the JMS application.
func returnedToJMS(t *testing.T, s *site, end ending, count int32) (d diff) {
	q := s.node(t, "queue")
	require.NoError(t, takeAndReturn(t, s, q, end, &d).Close(t.Context()))
	got := s.must(t, command{Op: "receive", Destination: &q.jms, Timeout: ptr[int64](1000)}).Message
	d.want("that it comes", true, got != nil)
	if got != nil {
		d.want("JMSXDeliveryCount", jms(count), got.Special["JMSXDeliveryCount"].Value)
		d.want("JMSRedelivered", jms(count > 1), got.JMSRedelivered)
	}
	return d
}

// returnedByJMS has the JMS application take a message and not keep it, and shows how
// often it was delivered to who gets it next, Go.
func returnedByJMS(t *testing.T, s *site, ack, then string) (d diff) {
	q := s.node(t, "queue")
	s.client.send(t, s.producer(q), text(""))
	// Without credit left, or the message would come again before the session ends.
	s.app.connect(t, s.url()+"?jms.prefetchPolicy.all=0")
	if _, err := s.do(t, command{Op: "subscribe", Consumer: "first", Destination: &q.jms, Ack: ack}); err != nil {
		d.refusedByJMS("a consumer", err)
		return d
	}
	got, err := s.do(t, command{Op: "receive", Consumer: "first", Then: then})
	if err != nil {
		d.refusedByJMS(then, err)
		return d
	}
	require.NotNil(t, got.Message, "the JMS application received nothing")
	s.must(t, command{Op: "unsubscribe", Consumer: "first"})
	m := s.client.receive(t, q)
	d.want("JMSXDeliveryCount", 2, m.view.DeliveryCount())
	d.want("JMSRedelivered", true, m.view.Redelivered())
	d.want("JMSXDeliveryCount as it is encoded", m.view.DeliveryCount(), m.raw.Header.JMSXDeliveryCount())
	return d
}
