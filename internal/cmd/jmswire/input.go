package main

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms"
)

// An input is one message as it was given.
type input struct {
	file string
	line int // where its hex text starts; 0 for one in binary, and for text that is one message
	msg  []byte
	err  error // why the text is no bytes
}

// where names the input for people.
func (in input) where() string {
	if in.line > 0 {
		return fmt.Sprintf("%s: line %d", oneLine(in.file), in.line)
	}
	return oneLine(in.file)
}

// parse cuts the message into its sections up to the body.
func (in input) parse() (m amqpjms.RawMessage, err error) {
	if in.err != nil {
		return m, in.err
	}
	err = m.Parse(in.msg)
	return m, err
}

// ok reports whether the input is a whole message, and whether it has a body.
func (in input) ok() (whole, body bool) {
	m, err := in.parse()
	if err == nil {
		_, err = sectionsOf(&m)
	}
	return err == nil, len(m.Body) > 0
}

// A layout says how the lines of a text make messages.
type layout int

const (
	guess layout = iota
	onePerLine
	allOne
)

// inputs returns the messages in the contents of a file.
func inputs(file string, data []byte, l layout) []input {
	if len(data) > 0 && data[0] == 0 { // no text starts like that, and every message does [amqp 1.2]
		return []input{{file: file, msg: data}}
	}
	whole := input{file: file}
	whole.msg, whole.err = decodeHex(data, true)
	if l == allOne {
		return []input{whole}
	}
	var lines []input
	for i, text := range bytes.Split(data, []byte("\n")) {
		in := input{file: file, line: i + 1}
		in.msg, in.err = decodeHex(text, false)
		if len(in.msg) > 0 || in.err != nil {
			lines = append(lines, in)
		}
	}
	switch {
	case len(lines) == 0:
		return []input{whole}
	case l == guess && !areMessages(lines, whole):
		return []input{whole}
	}
	return lines
}

// areMessages guesses whether each of the lines is a message, rather than all of
// them together.
func areMessages(lines []input, whole input) bool {
	if len(lines) == 1 {
		return false
	}
	withBody, messages, starts := 0, 0, 0
	for _, in := range lines {
		if ok, body := in.ok(); ok {
			messages++
			if body {
				withBody++
			}
		}
		if len(in.msg) > 0 && in.msg[0] == 0 {
			starts++
		}
	}
	if withBody == len(lines) { // messages of nothing but data would make one together, too
		return true
	}
	if ok, _ := whole.ok(); ok {
		return false
	}
	return messages > 0 || starts == len(lines)
}

// decodeHex returns the bytes of hex text. An error names the line if there may be
// several.
func decodeHex(text []byte, lines bool) ([]byte, error) {
	var b []byte
	half, odd := byte(0), false
	line, column, comment := 1, 0, false
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		column++
		switch {
		case c == '\n':
			line, column, comment = line+1, 0, false
		case comment:
		case c == ';':
			comment = true
		case c == ' ', c == '\t', c == '\r', c == '\v', c == '\f':
		default:
			digit, ok := hexDigit(c)
			if !ok && lines {
				return nil, fmt.Errorf("line %d, column %d: %q is no hex digit", line, column, c)
			} else if !ok {
				return nil, fmt.Errorf("column %d: %q is no hex digit", column, c)
			}
			half = half<<4 | digit
			if odd {
				b = append(b, half)
			}
			odd = !odd
		}
	}
	if odd {
		return nil, errors.New("an odd number of hex digits")
	}
	return b, nil
}

func hexDigit(c rune) (digit byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return byte(c - '0'), true
	case 'a' <= c && c <= 'f':
		return byte(c - 'a' + 10), true
	case 'A' <= c && c <= 'F':
		return byte(c - 'A' + 10), true
	}
	return 0, false
}
