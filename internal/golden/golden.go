// Package golden reads the wire fixtures in testdata for tests, and has the one codec of their typed values: from and to
// text, JSON, Go values and AMQP's encoding. The format of the files, the peers they were recorded from and the defaults
// of a JMS view are described in testdata/README.md.
//
// [Parse] and [Load] are plain functions that return errors; [Read] is the same for a test, which fails with the
// first error. Every error names the file and the line. A fixture is never changed by this package.
package golden

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Section is one section of an encoded message, as the fixture's wire block cuts it. Name is the AMQP name of the
// section, or one of [Unknown] and [Garbage].
type Section struct {
	Name  string
	Bytes []byte
}

// Labels of the parts of a wire that are no section of AMQP 1.0.
const (
	Unknown = "unknown" // a whole described value whose descriptor names no section
	Garbage = "garbage" // the rest of a message that cannot be cut
)

// SectionNames lists the sections of a message in the order in which AMQP puts them. [amqp 3.2]
func SectionNames() []string {
	return []string{"header", "delivery-annotations", "message-annotations", "properties", "application-properties",
		"data", "amqp-sequence", "amqp-value", "footer"}
}

// A Case is one record of a fixture file.
//
// Methods that take a key panic when the key is not one of those that the file was read with: a misspelt key would
// otherwise make a test that compares nothing. A key that takes a name is written as in the file, `property "p"`;
// [Named] makes one.
type Case struct {
	Name string // unique among the cases of its peer
	Peer string // who wrote the bytes, with its version
	File string
	Line int // of the name

	keys   map[string]Key
	fields []field
}

// A field is one line of a record, or a line with its block.
type field struct {
	key      string // as [Named] writes it, without the prefix "ours."
	base     string
	name     string
	ours     bool
	slug     string // of the deviation, where ours
	line     int
	value    Value
	sections []Section
}

// A Deviation is a field whose value is ours and not the peer's.
type Deviation struct {
	Slug string
	Key  string
}

// A NamedValue is one of several under a key that takes a name. Name is also "" where the file has the word null for it:
// the application gave no name at all.
type NamedValue struct {
	Name  string
	Value Value
}

// Named returns the key base with a name, as it stands in a fixture: `property "p"`.
func Named(base, name string) string { return base + " " + quote(name) }

// At says where the case stands: file:line: name.
func (c Case) At() string { return fmt.Sprintf("%s:%d: %s", c.File, c.Line, c.Name) }

// Wire returns the whole encoded message; nil where the peer sent none, empty where it sent one of zero bytes.
func (c Case) Wire() []byte {
	if v, ok := c.Value("wire"); ok {
		return v.V.([]byte)
	}
	return nil
}

// Sections returns the parts of the encoded message. Joined they are Wire.
func (c Case) Sections() []Section { return c.SectionsOf("wire") }

// SectionsOf returns the parts of another wire block of the case, such as set.receivedWire.
func (c Case) SectionsOf(key string) []Section {
	c.check(key)
	for _, f := range c.fields {
		if f.key == key && !f.ours {
			return f.sections
		}
	}
	return nil
}

// Value returns what was recorded for the key: the line in the file, or else the default (testdata/README.md).
// It reports false where the case says nothing about it. A wire block has type "wire", plain text type "text".
func (c Case) Value(key string) (Value, bool) {
	c.check(key)
	return c.lookup(key, false)
}

// Want returns what amqpjms must give for the key: the line "ours.KEY", or else what Value returns.
func (c Case) Want(key string) (Value, bool) {
	c.check(key)
	return c.lookup(key, true)
}

// Ours returns the line "ours.KEY" and the slug of the deviation that it belongs to.
func (c Case) Ours(key string) (v Value, slug string, ok bool) {
	c.check(key)
	for _, f := range c.fields {
		if f.key == key && f.ours {
			return f.value, f.slug, true
		}
	}
	return Value{}, "", false
}

// Text returns the recorded plain text of the key, "" where there is none.
func (c Case) Text(key string) string {
	if v, ok := c.Value(key); ok && v.Type == "text" {
		return v.V.(string)
	}
	return ""
}

// All returns the recorded values of a key that takes a name or may stand several times, in the order of the file.
func (c Case) All(base string) []NamedValue {
	c.check(base)
	var vs []NamedValue
	for _, f := range c.fields {
		if f.base == base && !f.ours {
			vs = append(vs, NamedValue{f.name, f.value})
		}
	}
	return vs
}

// Stated returns the keys of the recorded lines, in the order of the file.
func (c Case) Stated() []string {
	var ks []string
	for _, f := range c.fields {
		if !f.ours {
			ks = append(ks, f.key)
		}
	}
	return ks
}

// Deviations returns the fields whose value is ours and not the peer's, in the order of the file.
func (c Case) Deviations() []Deviation {
	var ds []Deviation
	for _, f := range c.fields {
		if f.ours {
			ds = append(ds, Deviation{f.slug, f.key})
		}
	}
	return ds
}

// Representable reports whether Go strings can hold every text of the case. It is false for texts with an unpaired
// UTF-16 surrogate: what the peer makes of those is not valid AMQP.
func (c Case) Representable() bool {
	return !slices.ContainsFunc(c.fields, func(f field) bool { return !f.value.Representable() })
}

func (c Case) check(key string) {
	base, _, _ := strings.Cut(key, " ")
	if _, ok := c.keys[base]; !ok {
		panic(fmt.Sprintf("golden: %s: key %q is not one that the file was read with", c.At(), key))
	}
}

// stated returns the line for the key, with ours the one that is ours if there is one.
func (c Case) stated(key string, ours bool) (v Value, ok bool) {
	for _, f := range c.fields {
		if f.key != key || f.ours && !ours {
			continue
		}
		if f.ours {
			return f.value, true
		}
		if !ok {
			v, ok = f.value, true
		}
	}
	return v, ok
}

func (c Case) lookup(key string, ours bool) (Value, bool) {
	if v, ok := c.stated(key, ours); ok {
		return v, true
	}
	if name, ok := strings.CutPrefix(key, "wire."); ok {
		return c.section(name)
	}
	return c.defaultOf(key, ours)
}

// section returns the bytes of the sections of one name, null where there is none.
func (c Case) section(name string) (Value, bool) {
	if c.Wire() == nil {
		return Value{}, false
	}
	b := join(slices.DeleteFunc(slices.Clone(c.Sections()), func(s Section) bool { return s.Name != name }))
	if len(b) == 0 {
		return Value{Type: "null"}, true
	}
	return Value{Type: "binary", V: b}, true
}

func join(ss []Section) []byte {
	b := []byte{}
	for _, s := range ss {
		b = append(b, s.Bytes...)
	}
	return b
}

// A TB is the part of testing.TB that [Read] needs, so that a command can import this package.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Read returns the cases of all files that match the pattern, see [Load]. It ends the test where Load fails.
func Read(t TB, pattern string, keys ...Key) []Case {
	t.Helper()
	cs, err := Load(pattern, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

// Load returns the cases of all files that match the pattern (of [filepath.Glob]), in the order of their names. It is
// an error when no file matches, or when two cases of one peer have the same name.
func Load(pattern string, keys ...Key) ([]Case, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("golden: %s: %w", pattern, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("golden: %s: no such file", pattern)
	}
	var all []Case
	seen := map[[2]string]Case{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		cs, err := Parse(filepath.ToSlash(file), data, keys...)
		if err != nil {
			return nil, err
		}
		for _, c := range cs {
			if old, ok := seen[[2]string{c.Peer, c.Name}]; ok {
				return nil, errAt(c.File, c.Line, "name %s stands at %s:%d already", c.Name, old.File, old.Line)
			}
			seen[[2]string{c.Peer, c.Name}] = c
		}
		all = append(all, cs...)
	}
	return all, nil
}

// Parse returns the cases of one file. The name of the file is for errors and for [Case] only. It is an error when the
// file does not start with a peer, has no case, holds a key that is not among those given, or a line that is not of
// the format.
func Parse(file string, data []byte, keys ...Key) ([]Case, error) {
	p := parser{file: file, keys: map[string]Key{}}
	for _, k := range keys {
		p.keys[k.Name] = k
	}
	for text := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		p.line++
		if err := p.take(text); err != nil {
			return nil, err
		}
	}
	if err := p.endRecord(); err != nil {
		return nil, err
	}
	if p.peer == "" {
		return nil, p.errorf("the file does not start with a peer")
	}
	if len(p.cases) == 0 {
		return nil, p.errorf("no case")
	}
	return p.cases, nil
}

type parser struct {
	file  string
	line  int
	keys  map[string]Key
	peer  string
	cases []Case
	names map[string]int // line of each name

	inRecord bool // between the first line of a record and the blank line after it
	cur      Case
	block    bool // the last key has an empty value: indented lines may follow
}

func errAt(file string, line int, format string, args ...any) error {
	return fmt.Errorf("golden: %s:%d: %w", file, line, fmt.Errorf(format, args...))
}

func (p *parser) errorf(format string, args ...any) error {
	return errAt(p.file, p.line, format, args...)
}

func (p *parser) take(text string) error {
	switch {
	case strings.HasPrefix(text, "#"):
		return nil
	case text == "":
		return p.endRecord()
	case strings.TrimRight(text, " \t\r") != text:
		return p.errorf("space at the end of the line")
	case strings.HasPrefix(text, " "):
		return p.takeBlock(text)
	}
	p.endBlock()
	key, rest, err := cutKey(text)
	if err != nil {
		return p.errorf("%w", err)
	}
	if !p.inRecord {
		p.inRecord = true
		return p.startRecord(key, rest)
	}
	if p.cur.Name == "" {
		return p.takeHeader(key)
	}
	return p.takeField(key, rest)
}

// startRecord takes the first line of a record: the peer in the first one, a name in all others.
func (p *parser) startRecord(key, text string) error {
	if p.peer == "" {
		if key != "peer" || text == "" {
			return p.errorf("the file does not start with a peer")
		}
		p.peer, p.names = text, map[string]int{}
		return nil
	}
	if key != "name" || text == "" {
		return p.errorf("the record does not start with a name")
	}
	if at, ok := p.names[text]; ok {
		return p.errorf("name %s stands at line %d already", text, at)
	}
	p.names[text] = p.line
	p.cur = Case{Name: text, Peer: p.peer, File: p.file, Line: p.line, keys: p.keys}
	return nil
}

// takeHeader takes a further line of the file's first record.
func (p *parser) takeHeader(key string) error {
	if key != "note" {
		return p.errorf("key %q in the record of the peer", key)
	}
	return nil
}

func (p *parser) takeField(key, text string) error {
	if key == "deviation" {
		return p.takeDeviation(text)
	}
	f := field{line: p.line}
	rest, ours := strings.CutPrefix(key, "ours.")
	f.ours = ours
	base, name, named := strings.Cut(rest, " ")
	f.key, f.base = rest, base
	k, ok := p.keys[base]
	switch {
	case !ok:
		return p.errorf("unknown key %q", key)
	case k.Named != named:
		return p.errorf("key %q: a name in quotes is wrong here or missing", key)
	case k.Ours && !ours:
		return p.errorf("key %q stands only as ours.%s", key, key)
	}
	if named && name != "null" {
		n, err := parseText(name)
		if err != nil {
			return p.errorf("key %q: %w", key, err)
		}
		f.name = n.V.(string)
	}
	for _, old := range p.cur.fields {
		if old.key == f.key && old.ours == f.ours && !k.Repeat {
			return p.errorf("key %q stands at line %d already", key, old.line)
		}
	}
	switch k.Kind {
	case Wire:
		if text != "" {
			return p.errorf("key %q takes a block of indented lines", key)
		}
		p.block = true
	case Text:
		if text == "" {
			return p.errorf("key %q has no value", key)
		}
		f.value = Value{Type: "text", V: text}
	default:
		v, err := ParseValue(text)
		if err != nil {
			return p.errorf("key %q: %w", key, err)
		}
		f.value = v
	}
	p.cur.fields = append(p.cur.fields, f)
	return nil
}

// takeDeviation gives a slug to the lines that are ours since the last slug.
func (p *parser) takeDeviation(slug string) error {
	if slug == "" {
		return p.errorf("deviation has no value")
	}
	n := 0
	for i := range p.cur.fields {
		if f := &p.cur.fields[i]; f.ours && f.slug == "" {
			f.slug = slug
			n++
		}
	}
	if n == 0 {
		return p.errorf("deviation %s follows no line that is ours", slug)
	}
	return nil
}

// takeBlock takes one line of a wire: hex digits in groups, and the name of a section where one begins.
func (p *parser) takeBlock(text string) error {
	body, ok := strings.CutPrefix(text, "  ")
	if !ok || !p.block || strings.HasPrefix(body, " ") {
		return p.errorf("indented line is not in a block, or not indented by two spaces")
	}
	digits, label, labelled := strings.Cut(body, " ; ")
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil || len(b) == 0 {
		return p.errorf("%q is not a row of bytes in hex", digits)
	}
	f := &p.cur.fields[len(p.cur.fields)-1]
	if labelled {
		if label != Unknown && label != Garbage && !slices.Contains(SectionNames(), label) {
			return p.errorf("%q is no name of a section", label)
		}
		f.sections = append(f.sections, Section{Name: label})
	}
	if len(f.sections) == 0 {
		return p.errorf("the block does not start with the name of a section")
	}
	last := &f.sections[len(f.sections)-1]
	last.Bytes = append(last.Bytes, b...)
	return nil
}

func (p *parser) endBlock() {
	if !p.block {
		return
	}
	p.block = false
	f := &p.cur.fields[len(p.cur.fields)-1]
	f.value = Value{Type: "wire", V: join(f.sections)}
}

func (p *parser) endRecord() error {
	p.endBlock()
	if !p.inRecord || p.cur.Name == "" {
		p.inRecord = false
		return nil
	}
	c := p.cur
	p.cur, p.inRecord = Case{}, false
	for _, f := range c.fields {
		if !f.ours {
			continue
		}
		if f.slug == "" {
			return errAt(p.file, f.line, "ours.%s has no deviation", f.key)
		}
		if v, ok := c.lookup(f.key, false); ok && v.Equal(f.value) {
			return errAt(p.file, f.line, "ours.%s is what was recorded", f.key)
		}
	}
	p.cases = append(p.cases, c)
	return nil
}

// cutKey cuts a line into key, with its name if it has one, and text.
func cutKey(line string) (key, text string, err error) {
	i := strings.IndexAny(line, ": ")
	if i > 0 && line[i] == ' ' { // a name, in which a colon means nothing
		if n := scanName(line[i+1:]); n > 0 {
			i += 1 + n
		}
	}
	if i <= 0 || i >= len(line) || line[i] != ':' {
		return "", "", fmt.Errorf("%q is not a line of key and value", line)
	}
	key, text = line[:i], line[i+1:]
	if text == "" {
		return key, "", nil
	}
	text, ok := strings.CutPrefix(text, " ")
	if !ok || text == "" || text[0] == ' ' {
		return "", "", fmt.Errorf("%q: not one space after the colon", line)
	}
	return key, text, nil
}
