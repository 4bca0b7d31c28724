package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Which messages a selector selects, and the value of each comparison.
func TestSelect(t *testing.T) {
	const (
		header   = "005370c00402 40 5007"
		red      = "005374c11204 a105636f6c6f72 a103726564 a10177 55 05"
		cut      = "005374c10604 a10177 5505"
		body     = "005377a10178"
		char     = "005374c10902 a10163 730001f600"
		notUTF8  = "005374c10802 a10163 a102 ffff"
		selector = "NOT (color = 'blue' OR w > 9) AND JMSPriority >= 7"
	)
	for _, test := range []struct {
		name, stdin string
		args        []string
		code        int
		out, errs   string
	}{
		{"selected", header + red + body, []string{selector}, 0,
			"standard input: selected: true\n" +
				"  color = 'blue'            false                       color = string \"red\"\n" +
				"  w > 9                     false                       w = long 5\n" +
				"  JMSPriority >= 7          true                        JMSPriority = int 7\n", ""},
		{"not selected", red + body, []string{selector}, 0,
			"standard input: not selected: false\n" +
				"  color = 'blue'            false                       color = string \"red\"\n" +
				"  w > 9                     false                       w = long 5\n" +
				"  JMSPriority >= 7          false                       JMSPriority = int 4\n", ""},
		{"unknown", body, []string{"a <> b"}, 0,
			"standard input: not selected: unknown\n  a <> b                    unknown                     a = null, b = null\n", ""},
		{"no names", body, []string{"TRUE"}, 0, "standard input: selected: true\n  TRUE                      true\n", ""},
		{"none", body, []string{""}, 0, "standard input: selected: true\n", ""},
		{"the node's default", body, []string{"-persistent", "JMSDeliveryMode = 'PERSISTENT'"}, 0,
			"standard input: selected: true\n  JMSDeliveryMode = 'PERSISTENT'  true                        JMSDeliveryMode = string \"PERSISTENT\"\n", ""},
		{"a char", char + body, []string{"c LIKE '_'"}, 0, "standard input: selected: true\n  c LIKE '_'                true                        c = char 128512 '😀'\n", ""},
		{"two lines", body + "\n" + red + body + "\n", []string{"color IS NULL"}, 0,
			"standard input: line 1: selected: true\n  color IS NULL             true                        color = null\n" +
				"standard input: line 2: not selected: false\n  color IS NULL             false                       color = string \"red\"\n", ""},
		{"a property that cannot be read", notUTF8 + body, []string{"c = 'x'"}, 0,
			"standard input: not selected: error: property \"c\" string: string is not valid UTF-8\n" +
				"  c = 'x'                   error                       c = error: property \"c\" string: string is not valid UTF-8\n", ""},
		{"properties that break off", cut + body, []string{"w = 5 OR x = 1"}, 0,
			"standard input: selected: true\n" +
				"  w = 5                     true                        w = long 5\n" +
				"  x = 1                     error                       x = error: application-properties \"x\" at byte 11: unexpected EOF\n", ""},
		{"no selector", "", nil, 2, "", "jmswire: select needs a selector\n"},
		{"not a selector", body, []string{"a = = 1"}, 2, "", "jmswire: selector \"a = = 1\" at byte 4: unexpected \"=\"\n"},
		{"not a message", "0053", []string{"a = 1"}, 1, "", "jmswire: standard input: message at byte 2: unexpected EOF\n"},
	} {
		code, out, errs := jmswire(test.stdin, append([]string{"select"}, test.args...)...)
		require.Equal(t, test.code, code, test.name)
		require.Equal(t, test.out, out, test.name)
		require.Equal(t, test.errs, errs, test.name)
	}
	code, _, errs := jmswire("", "select", "a = 1", "no such file")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no such file")
}
