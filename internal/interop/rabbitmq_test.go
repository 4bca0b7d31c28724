//go:build interop

package interop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// TestRabbitMQ runs on RabbitMQ, two versions for what they read differently.
// Debian brings them; see README.md for what that needs.
func TestRabbitMQ(t *testing.T) {
	onEach(t, rabbitMQ("4.0", "trixie"), rabbitMQ("4.3", "sid"))
}

const rabbit = "RabbitMQ"

// rabbitMQ is the version of RabbitMQ that a suite of Debian has.
func rabbitMQ(version, suite string) broker {
	peer := amqpjms.RabbitMQ()
	peer.TemporaryQueues = version != "4.0"
	return broker{
		name:         "R" + version,
		product:      rabbit,
		version:      version + ".",
		start:        func(t testing.TB) string { return startRabbitMQ(t, suite) },
		peer:         peer,
		jmsAddresses: true,
		declared:     true,
	}
}

// runRabbitMQ runs a broker in the folder $0, on ports $1 (AMQP), $2 and $3. Data
// and mounts are gone when it ends.
const runRabbitMQ = `
mount -t tmpfs tmpfs "$0/var/lib/rabbitmq" &&
mount -t tmpfs tmpfs "$0/tmp" &&
exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/var/lib/rabbitmq \
	RABBITMQ_USE_LONGNAME=true RABBITMQ_NODENAME=interop@127.0.0.1 \
	RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT="$1" \
	RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" RABBITMQ_DIST_PORT="$2" \
	ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$3" \
	RABBITMQ_LOGS=- RABBITMQ_LOG=warning \
	/usr/lib/rabbitmq/bin/rabbitmq-server`

func startRabbitMQ(t testing.TB, suite string) string {
	t.Helper()
	root := debian(t, suite)
	port := strconv.Itoa(freePort(t))
	cmd := isolated("--mount-proc="+filepath.Join(root, "proc"),
		"sh", "-c", runRabbitMQ, root, port, strconv.Itoa(freePort(t)), strconv.Itoa(freePort(t)))
	startPeer(t, "RabbitMQ of "+suite, cmd).waitFor(t, " completed with ", time.Minute)
	return "127.0.0.1:" + port
}

// isolated is a command with process numbers and mounts of its own: whatever it
// starts in the background ends with it, and what it mounts is seen by no one else.
func isolated(args ...string) *exec.Cmd {
	return exec.Command("unshare", append([]string{"--mount", "--pid", "--fork", "--kill-child"}, args...)...)
}

// debian is a folder with the RabbitMQ of a suite of Debian, made by the first
// test that asks for it and kept.
func debian(t testing.TB, suite string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("RabbitMQ is installed in a folder of its own, which only root may do")
	}
	for _, tool := range []string{"debootstrap", "unshare", "chroot"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("RabbitMQ is installed in a folder of its own, which needs Debian's debootstrap: install it (%v)", err)
		}
	}
	root := filepath.Join(cache(t), suite)
	if _, err := os.Stat(root); err == nil {
		return root
	}
	// Under its own name only when it is whole.
	unfinished := root + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(unfinished, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Logf("installing the RabbitMQ of Debian %s in %s", suite, root)
	cmd := isolated("debootstrap", "--variant=minbase", "--include=rabbitmq-server", suite, unfinished)
	if err := startPeer(t, "debootstrap "+suite, cmd).finish(10 * time.Minute); err != nil {
		t.Fatalf("debootstrap %s: %v", suite, err)
	}
	packages, err := filepath.Glob(filepath.Join(unfinished, "var/cache/apt/archives/*.deb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(unfinished, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// cache is the directory for what is downloaded once and kept.
func cache(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("INTEROP_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "amqpjms-interop")
}

// management is RabbitMQ's management node "/management": a pair of links of the
// same name, requests on one of them, answers on the other.
type management struct {
	requests *amqp.Sender
	answers  *amqp.Receiver
}

// manage opens the links to manage a broker with, on a connection of their own.
//
// RabbitMQ ends the session over a request for whose answer there is no credit, and
// go-amqp issues the credit of a new receiver in the background and does not say when.
// So the first request may come too early, and is made until it does not. Each time on
// another connection, for RabbitMQ 4.0 may not answer the begin of a session whose
// channel was another's a moment ago.
func manage(t testing.TB, b broker, hostPort string) *management {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		m, err := pair(ctx, b.connect(t, hostPort).session)
		if err == nil {
			err = m.declareQueue(ctx, "interop", "classic")
		}
		if err == nil {
			return m
		}
		var ended *amqp.SessionError
		if !errors.As(err, &ended) || ended.RemoteErr == nil || ended.RemoteErr.Condition != amqp.ErrCondPreconditionFailed {
			t.Fatalf("management of %s: %v", b.product, err)
		}
	}
}

func pair(ctx context.Context, session *amqp.Session) (*management, error) {
	const node, name = "/management", "management"
	properties := map[string]any{"paired": true}
	// With more credit than there are queues to declare.
	answers, err := session.NewReceiver(ctx, node, &amqp.ReceiverOptions{
		Name: name, TargetAddress: node, Properties: properties, Credit: 1000,
	})
	if err != nil {
		return nil, err
	}
	requests, err := session.NewSender(ctx, node, &amqp.SenderOptions{
		Name: name, SourceAddress: node, Properties: properties, SettlementMode: amqp.SenderSettleModeSettled.Ptr(),
	})
	if err != nil {
		return nil, err
	}
	return &management{requests: requests, answers: answers}, nil
}

// declareQueue makes a queue of a type: classic or quorum.
func (m *management) declareQueue(ctx context.Context, name, queueType string) error {
	verb, to, replyTo := "PUT", "/queues/"+name, "$me"
	request := &amqp.Message{
		Properties: &amqp.MessageProperties{MessageID: name, To: &to, Subject: &verb, ReplyTo: &replyTo},
		Value:      map[string]any{"durable": true, "arguments": map[string]any{"x-queue-type": queueType}},
	}
	if err := m.requests.Send(ctx, request, nil); err != nil {
		return err
	}
	answer, err := m.answers.Receive(ctx, nil)
	if err != nil {
		return err
	}
	if err := m.answers.AcceptMessage(ctx, answer); err != nil {
		return err
	}
	if code := answer.Properties.Subject; code == nil || *code != "200" && *code != "201" {
		return fmt.Errorf("answered %v", answer.Value)
	}
	return nil
}
