package selector

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// Any text and any properties: no panic, no error outside the text, no time to speak of. What is
// printed reads as the same, and says the same of each value.
func FuzzSelector(f *testing.F) {
	for _, s := range typical() {
		f.Add(s, order())
	}
	for _, c := range cases(f) {
		if s := text(f, c, "selector"); len(s) < 100 && c.Line%37 == 0 {
			f.Add(s, properties("a", "x", "n", []byte{0x54, 5}))
		}
	}
	f.Fuzz(func(t *testing.T, s string, m []byte) {
		start := time.Now()
		e, err := Parse(s)
		if err != nil {
			var pe *Error
			if !errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(s) || pe.Reason == "" {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		printed := e.String()
		again, err := Parse(printed)
		if err != nil || again.String() != printed {
			t.Fatalf("%q printed as %q: %v", s, printed, err)
		}
		eval := func(e *Expr) (Truth, int) {
			var f Frame
			for n := e.Run(&f); n >= 0; n = e.Run(&f) {
				if e.Name(n).Field == Property {
					e.SetProperties(&f, wire.NewReader(m))
				} else {
					e.Set(&f, n, OfText([]byte("x")))
				}
			}
			return f.Truth(), f.Broken()
		}
		a, brokenA := eval(e)
		b, brokenB := eval(again)
		if a != b || brokenA != brokenB {
			t.Fatalf("%q: %v, %d; printed as %q: %v, %d", s, a, brokenA, printed, b, brokenB)
		}
		for _, v := range []Value{OfInt(1), OfDouble(0.5), OfString("a"), OfNull(), OfOther(), OfBool(true)} {
			a, _ := e.Eval(func(Name) Value { return v })
			b, _ := again.Eval(func(Name) Value { return v })
			if a != b {
				t.Fatalf("%q with %v: %v; printed as %q: %v", s, v, a, printed, b)
			}
		}
		if took := time.Since(start); took > time.Second+time.Duration(len(s)+len(m))*time.Microsecond {
			t.Fatalf("%d bytes took %v", len(s), took)
		}
	})
}
