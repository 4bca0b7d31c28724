package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// jmswire runs the command.
func jmswire(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsage(t *testing.T) {
	const usage = "usage:\n" +
		"  jmswire inspect [-json] [-lines] [FILE...]   print encoded messages, and how JMS sees them\n" +
		"  jmswire groups [-q] [FILE...]                replay traces of message groups, and compare\n" +
		"  jmswire link [-peer NAME] [FILE...]          print attaches of links, and how JMS sees them\n" +
		"  jmswire select [-lines] SELECTOR [FILE...]   print which messages a JMS selector selects, and why\n" +
		"  jmswire demo                                 show what the library does, on messages of real peers\n" +
		"Flags go before the files. jmswire inspect -h lists all of its flags: -peer, -destination and others.\n"
	for _, c := range []struct {
		name, args string
		code       int
		out, err   string
	}{
		{"no command", "", 2, "", usage},
		{"help", "help", 0, usage, ""},
		{"the flag for help", "-h", 0, usage, ""},
		{"help of a command without flags", "help demo", 0, usage, ""},
		{"a command that there is not", "replay", 2, "", "jmswire: there is no command \"replay\"\n" + usage},
		{"demo with an argument", "demo x", 2, "", "jmswire: demo takes no arguments\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := jmswire("", strings.Fields(c.args)...)
			require.Equal(t, c.code, code, "exit code")
			require.Equal(t, c.out, out, "standard output")
			require.Equal(t, c.err, errs, "standard error")
		})
	}
}

// help of a command is its usage and all its flags, on standard output.
func TestHelp(t *testing.T) {
	for command, flags := range map[string][]string{
		"inspect": {"destination", "json", "lines", "peer", "queue-prefix", "received", "topic-prefix"},
		"groups":  {"q"},
		"link":    {"client-id", "peer"},
		"select":  {"lines", "persistent"},
	} {
		code, out, errs := jmswire("", "help", command)
		require.Zero(t, code, command)
		require.Empty(t, errs, command)
		require.Contains(t, out, "usage:", command)
		for _, flag := range flags {
			require.Contains(t, out, "\n  -"+flag, command)
		}
	}
}

// With wrong flags nothing is read, and the message names the flag.
func TestWrongFlags(t *testing.T) {
	for args, want := range map[string]string{
		"inspect -xml":                    "flag provided but not defined: -xml",
		"inspect -lines=maybe":            `invalid boolean value "maybe" for -lines`,
		"inspect -received=soon":          `invalid value "soon" for flag -received`,
		"inspect -destination=exchange:x": `invalid value "exchange:x" for flag -destination: the kind is none of queue, topic, temporary-queue and temporary-topic`,
		"inspect -destination=":           `invalid value "" for flag -destination: `,
		"inspect -peer=swiftmq":           `invalid value "swiftmq" for flag -peer: none of activemq, artemis, broker-j, rabbitmq, rabbitmq3, service-bus`,
	} {
		code, out, errs := jmswire("005377a10568656c6c6f", strings.Fields(args)...)
		require.Equal(t, 2, code, args)
		require.Empty(t, out, args)
		require.Contains(t, errs, want, args)
	}
	code, out, errs := jmswire("", "inspect", "-h")
	require.Equal(t, 0, code)
	require.Empty(t, out)
	require.Contains(t, errs, "-json")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("nobody reads this") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, command := range []string{"inspect", "demo", "help"} {
		var errs bytes.Buffer
		code := run([]string{command}, strings.NewReader(""), brokenPipe{}, &errs)
		require.Equal(t, 1, code, command)
		require.Equal(t, "jmswire: nobody reads this\n", errs.String(), command)
	}
}

// An error is one line, whatever the name of the file is.
func TestNameOfTwoLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a\nb\r")
	shown := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(file)
	for _, command := range []string{"inspect", "groups"} {
		code, _, errs := jmswire("", command, file)
		require.Equal(t, 1, code)
		require.Equal(t, "jmswire: open "+shown+": no such file or directory\n", errs, command)
	}
	require.NoError(t, os.WriteFile(file, []byte("00"), 0o600))
	code, out, errs := jmswire("", "inspect", file)
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Equal(t, "jmswire: "+shown+": message at byte 1: unexpected EOF\n", errs)
	require.NoError(t, os.WriteFile(file, []byte("00537740"), 0o600))
	code, out, errs = jmswire("", "inspect", file)
	require.Equal(t, 0, code)
	require.Empty(t, errs)
	require.Contains(t, out, shown+": message of 4 bytes\n")
}
