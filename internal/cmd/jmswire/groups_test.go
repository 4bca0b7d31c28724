package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/replay"
	"github.com/stretchr/testify/require"
)

// One trace as a recorder writes it; %s is what was recorded of the last step.
const jsonTrace = `{"name": "one", "strategy": "shared", "kind": "scripted", "source": "Qpid Broker-J 9.2.1",
"queue": {"messageGroupType": "SHARED_GROUPS", "messageGroupKeyOverride": "k"}, "steps": [
{"op": "enqueue", "id": 1, "props": {"k": {"type": "int", "value": 1}}},
{"op": "enqueue", "id": 2, "props": {"k": {"type": "%s", "value": 1}}},
{"op": "open", "consumer": "c1"}, {"op": "open", "consumer": "c2"},
{"op": "credit", "consumer": "c1", "n": 1}, {"op": "delivered", "consumer": "c1", "id": 1},
{"op": "credit", "consumer": "c2", "n": 1}%s]}
`

func TestGroupsCommand(t *testing.T) {
	delivered := `, {"op": "delivered", "consumer": "c2", "id": 2}`
	for _, test := range []struct {
		name, trace string
		args        string
		want        string // in the output
		err         string // in the error output; "": none
		code        int
	}{
		{"as recorded", fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`), "", "one: as recorded\n", "", 0},
		{"a deviation", fmt.Sprintf(jsonTrace, "long", delivered), "", "one: deviates: group-equality\n", "", 0},
		{"not explained", fmt.Sprintf(jsonTrace, "int", delivered), "", "one: DIFFERS\n", "", 1},
		{"side by side", fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`), "", "credit c2 1                   idle       idle       idle\n", "", 0},
		{"quiet", fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`), "-q", "one: as recorded\n1 traces: 1 as recorded", "", 0},
		{"unknown field", strings.Replace(fmt.Sprintf(jsonTrace, "int", ""), `"kind"`, `"kink"`, 1), "", "", `unknown field "kink"`, 1},
		{"unknown type", fmt.Sprintf(jsonTrace, "inch", delivered), "", "", `type "inch" is unknown`, 1},
		{"unknown action", fmt.Sprintf(jsonTrace, "int", `, {"op": "dance", "consumer": "c1"}`), "", "", `step "dance" is unknown`, 1},
		{"unknown strategy", strings.Replace(fmt.Sprintf(jsonTrace, "int", ""), `"shared"`, `"both"`, 1), "", "", `strategy "both" is unknown`, 1},
		{"cut off", fmt.Sprintf(jsonTrace, "int", "")[:200], "", "", "unexpected EOF", 1},
		{"no traces", "", "", "", "no traces", 1},
		{"text", "peer: X 1\n\nname: t\nstrategy: shared\nkind: scripted\nqueue:\nsteps:\n  enqueue 1\n  open c\n  credit c 1\n    -> c gets 1\n", "", "t: as recorded", "", 0},
		{"text with an unknown key", "peer: X 1\n\nname: t\ncolour: red\n", "", "", `line 4: key "colour" is unknown`, 1},
		{"one bad among good", fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`) + "{\"nam\": 1}\n" + fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`), "-q", "2 traces: 2 as recorded", `trace 2, line 8: json: unknown field "nam"`, 1},
		{"text without traces", "peer: X 1\n", "", "0 traces", "no traces", 1},
		{"text with an unknown step", "peer: X 1\n\nname: t\nsteps:\n  enqueue 1 grape \"A\"\n", "", "", `line 5: enqueue 1 grape "A": "enqueue grape" is unknown`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := jmswire(test.trace, strings.Fields("groups "+test.args)...)
			require.Contains(t, out, test.want)
			if test.err == "" {
				require.Empty(t, errs)
			}
			require.Contains(t, errs, test.err)
			require.Equal(t, test.code, code)
		})
	}
	code, _, errs := jmswire("", "groups", "no such file")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no such file")
}

// What is not what the rules give fails, even if it is as recorded or could be explained.
func TestGroupsCommandWrongEngine(t *testing.T) {
	delivered := `, {"op": "delivered", "consumer": "c2", "id": 2}`
	for _, test := range []struct{ name, trace string }{
		{"as recorded", fmt.Sprintf(jsonTrace, "int", `, {"op": "idle"}`)},
		{"a deviation", fmt.Sprintf(jsonTrace, "long", delivered)},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, wrong := range []string{"", "credit c1 1"} {
				var out, errs bytes.Buffer
				code := judgeGroups(streams{strings.NewReader(test.trace), &out, &errs}, []string{"-q"}, func(tr *replay.Trace) (replay.Verdict, error) {
					v, err := replay.Judge(tr)
					require.Empty(t, v.Wrong)
					v.Wrong = wrong
					return v, err
				})
				require.Empty(t, errs.String())
				if wrong == "" {
					require.Zero(t, code)
					continue
				}
				require.Equal(t, 1, code)
				require.Contains(t, out.String(), `one: WRONG: not what the rules give, from "credit c1 1" on`)
				require.Contains(t, out.String(), "1 traces: 0 as recorded, 0 explained by deviations, 1 wrong or not explained")
			}
		})
	}
}
