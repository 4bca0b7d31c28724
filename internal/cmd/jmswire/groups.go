package main

import (
	"bytes"
	"flag"
	"fmt"
	"strings"

	"github.com/seed-b113d664/amqpjms/internal/replay"
)

// groups is the command of that name. It replays traces of message groups, and prints whether each comes out as
// recorded. It fails if one differs and deviations of the peer do not explain that, if one is not what the rules give,
// or if one cannot be read.
func groups(s streams, args []string) int { return judgeGroups(s, args, replay.Judge) }

func judgeGroups(s streams, args []string, judge func(*replay.Trace) (replay.Verdict, error)) int {
	flags := flag.NewFlagSet("jmswire groups", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.Usage = func() {
		fmt.Fprintln(s.stderr, "usage: jmswire groups [-q] [FILE...]")
		flags.PrintDefaults()
	}
	quiet := flags.Bool("q", false, "print verdicts only")
	if err := flags.Parse(args); err == flag.ErrHelp {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	files := flags.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	code := exitOK
	var same, deviating, wrong int
	for _, file := range files {
		name, data, err := s.read(file)
		if err != nil {
			s.errorf("%v", err)
			code = exitInput
			continue
		}
		traces, err := replay.Read(bytes.NewReader(data))
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				s.errorf("%s: %s", name, line)
			}
			code = exitInput // but judge the traces that can be read
		}
		for _, t := range traces {
			v, err := judge(t)
			if err != nil {
				s.errorf("%s: %s: %v", name, t.Name, err)
				code = exitInput
				continue
			}
			switch {
			case !v.Passes():
				wrong++
			case v.Same:
				same++
			default:
				deviating++
			}
			verdict := fmt.Sprintf("%s: %s\n", t.Name, v)
			if !*quiet {
				verdict = v.Table() + verdict + "\n"
			}
			if s.print(verdict, nil) != exitOK {
				return exitInput
			}
		}
	}
	total := fmt.Sprintf("%d traces: %d as recorded, %d explained by deviations, %d wrong or not explained\n",
		same+deviating+wrong, same, deviating, wrong)
	if wrong > 0 {
		code = exitInput
	}
	return max(code, s.print(total, nil))
}
