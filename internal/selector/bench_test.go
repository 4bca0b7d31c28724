package selector

import (
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// typical are selectors as applications write them.
func typical() []string {
	return []string{
		"JMSType = 'car' AND color = 'blue' AND weight > 2500",
		"color = 'red'",
		"Country IN ('UK', 'US', 'France')",
		"age BETWEEN 15 AND 19 OR price * quantity > 1000.0",
		"name LIKE 'order-%' AND region IS NOT NULL",
	}
}

// order is the application properties of a message, of which each typical selector needs some.
func order() []byte {
	return properties("color", "blue", "Country", "France", "age", []byte{0x71, 0, 0, 0, 44},
		"price", []byte{0x82, 0x40, 0x5e, 0xc0, 0, 0, 0, 0, 0}, "quantity", []byte{0x54, 12},
		"name", "order-4711", "region", "EMEA", "weight", []byte{0x81, 0, 0, 0, 0, 0, 0, 0x0a, 0x28})
}

func BenchmarkParse(b *testing.B) {
	for _, s := range typical() {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// On values that are supplied in no time: what the evaluation itself costs.
func BenchmarkEval(b *testing.B) {
	car := OfString("car")
	for _, s := range typical() {
		e := mustParse(b, s)
		var values []Value
		var f Frame
		for i := range e.Names() {
			if values = append(values, car); e.Name(i).Field == Property {
				e.SetProperties(&f, wire.NewReader(order()))
				values[i] = f.own[i]
			}
		}
		b.Run(s, func(b *testing.B) {
			for b.Loop() {
				var f Frame
				copy(f.own[:], values)
				e.Run(&f)
			}
		})
	}
}

// With the application properties as bytes.
func BenchmarkEvalBytes(b *testing.B) {
	m, subject := order(), []byte("car")
	for _, s := range typical() {
		e := mustParse(b, s)
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var f Frame
				for n := e.Run(&f); n >= 0; n = e.Run(&f) {
					if e.Name(n).Field == Property {
						e.SetProperties(&f, wire.NewReader(m))
					} else {
						e.Set(&f, n, OfText(subject))
					}
				}
			}
		})
	}
}
