//go:build interop

package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain builds the Java side once, before any test.
func TestMain(m *testing.M) {
	if err := buildJava(); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func buildJava() error {
	for _, tool := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("the live tests need a Java development kit, 17 or later, and Maven: install openjdk-17-jdk-headless and maven (%w)", err)
		}
	}
	mvn := exec.Command("mvn", "--batch-mode", "--quiet", "compile")
	mvn.Dir = "java"
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn compile: %w\n%s", err, out)
	}
	return nil
}

// java is the command that runs a main class of the Java side.
func java(class string, args ...string) *exec.Cmd {
	target := filepath.Join("java", "target")
	classpath := filepath.Join(target, "classes") + string(os.PathListSeparator) + filepath.Join(target, "lib", "*")
	// Small and quick to start: these processes live for seconds.
	java := []string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classpath, "interop." + class}
	return exec.Command("java", append(java, args...)...)
}

// peer is a process that a test started and that ends with the test.
type peer struct {
	name   string
	log    *peerLog
	exited chan struct{} // closed when the process is gone
	err    error         // how it went, once exited is closed
	done   bool          // it did its work, and failures are not about it
}

// guard runs a command in its process group and kills the whole group when file
// 3 is closed. The other end of file 3 is this process, so a peer ends with it
// however it ends: by a panic, a time-out of go test, or a signal.
const guard = `(cat <&3 >/dev/null 2>&1; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-`

// startPeer starts cmd in a process group of its own, which the end of the test
// kills. Where cmd has no output set, its output is the peer's log, and the log
// is shown if the test fails.
func startPeer(t testing.TB, name string, cmd *exec.Cmd) *peer {
	t.Helper()
	p := &peer{name: name, log: newPeerLog(), exited: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = p.log
	}
	cmd.Stderr = p.log
	held, line, err := os.Pipe()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	cmd.ExtraFiles = []*os.File{held}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	cmd.Args = append([]string{"sh", "-c", guard, "sh", cmd.Path}, cmd.Args[1:]...)
	if cmd.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	err = cmd.Start()
	held.Close()
	if err != nil {
		line.Close()
		t.Fatalf("%s did not start: %v", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		// The group's leader is the process that was started, and the guard is in
		// the group: the number is not another group's before both are gone.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s could not be stopped: %v", name, err)
		}
		line.Close()
		<-p.exited
		if t.Failed() && !p.done {
			t.Logf("log of %s:\n%s", name, p.log.tail())
		}
	})
	return p
}

// waitFor waits until the peer's log has the text.
func (p *peer) waitFor(t testing.TB, text string, limit time.Duration) {
	t.Helper()
	deadline := time.After(limit)
	for {
		written := p.log.next()
		if p.log.contains(text) {
			return
		}
		select {
		case <-written:
		case <-p.exited:
			t.Fatalf("%s ended before it was ready: %v", p.name, p.err)
		case <-deadline:
			t.Fatalf("%s was not ready in %v: no %q in its log", p.name, limit, text)
		}
	}
}

// finish waits for a peer that does its work and ends.
func (p *peer) finish(limit time.Duration) error {
	select {
	case <-p.exited:
		p.done = p.err == nil
		return p.err
	case <-time.After(limit):
		return fmt.Errorf("not finished in %v", limit)
	}
}

// peerLog holds what a peer wrote.
type peerLog struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{} // closed by the next write
}

func newPeerLog() *peerLog { return &peerLog{written: make(chan struct{})} }

var _ io.Writer = (*peerLog)(nil)

func (l *peerLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.written)
	l.written = make(chan struct{})
	return l.text.Write(b)
}

func (l *peerLog) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

func (l *peerLog) contains(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Contains(l.text.Bytes(), []byte(text))
}

// tail is the end of the log, where the reason of a failure is.
func (l *peerLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	const most = 16 << 10
	b := l.text.Bytes()
	if len(b) > most {
		return "..." + string(b[len(b)-most:])
	}
	return string(b)
}

// freePort finds a port of 127.0.0.1 that nothing listens on, below those that
// the system hands out to clients.
func freePort(t testing.TB) int {
	t.Helper()
	const low, high = 20000, 32768
	for range 100 {
		port := low + rand.IntN(high-low)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatalf("no free port on 127.0.0.1 from %d to %d", low, high-1)
	return 0
}
