package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// JSON lines: one object a line. The first object decides where the features
// are; the others must be like it:
//
//	{"label": 1, "x": [0.5, 2]}                  numbered, the same number in each line
//	{"label": 1, "features": {"age": 30}}        named
//	{"label": "spam", "text": "Free entry"}      a bag of words
//	{"label": 1, "age": 30, "sex": "f"}          a record: every other key is a feature
//
// "x" and "features" may each be an array or an object. Of named features a
// number is a value, a string makes the feature key=string with the value 1,
// true is 1, false is 0 and null is missing. Keys beside "x", "features" or
// "text" are ignored, but for "weight", the weight of the example; in records
// the weight, like dropped and nominal keys, must be named, as in tables, for
// people weigh something too.
//
// The label is a string, a number, true or false, and its key is the first of
// "label", "class", "target" and "y" that is there, if not named.
var jsonFormat = Format{
	Name:      "json",
	Doc:       `JSON lines: {"label": …, "x": […]}, {"label": …, "features": {…}}, {"label": …, "text": "…"} or records`,
	Recognise: recogniseJSON,
	Open:      openJSON,
	Write:     writeJSON,
}

// recogniseJSON also takes an array of objects, which will be refused with a
// better message than another format has for it.
func recogniseJSON(head []byte) bool {
	for line := range sampleLines(head) {
		return line[0] == '{' || string(line) == "[" || bytes.HasPrefix(line, []byte("[{"))
	}
	return false
}

func openJSON(src *Source, spec *Spec) (Reader, error) {
	r := &jsonLines{spec: spec, known: spec.Known, features: spec.Features, missing: spec.Missing, label: spec.Label}
	r.scan.src = src
	columns := r.columns()
	if r.known != nil {
		columns = append(columns, r.known.Columns...)
		if r.missing == "" {
			r.missing = r.known.Missing
		}
		if r.label == "" && r.known.Format == "json" {
			r.label = r.known.Label
		}
	}
	if !slices.Contains([]string{"", "zero", "drop"}, r.missing) && r.known == nil {
		return nil, fmt.Errorf("no way %q of reading missing values from JSON lines; ways are zero, drop", r.missing)
	}
	r.roles = make(map[string]string, len(columns))
	for _, c := range columns {
		if _, given := r.roles[c.Name]; !given {
			r.roles[c.Name] = c.Kind
		}
		if c.Kind == data.Label && r.label == "" {
			r.label = c.Name
		}
	}
	if r.label == "none" {
		r.unlabelled, r.label = true, ""
		if r.known != nil && r.known.Format == "json" && r.known.Label != "" {
			r.roles[r.known.Label] = data.Dropped
		}
	}
	spec.Found.Columns = columns
	spec.Found.Missing = r.missing
	spec.Found.Label = r.label
	return r, nil
}

// columns are the keys of records that spec says something about.
func (r *jsonLines) columns() []data.Column {
	var columns []data.Column
	for _, key := range r.spec.Drop {
		columns = append(columns, data.Column{Name: key, Kind: data.Dropped})
	}
	for _, key := range r.spec.Nominal {
		columns = append(columns, data.Column{Name: key, Kind: data.Nominal})
	}
	if r.spec.Weight != "" {
		columns = append(columns, data.Column{Name: r.spec.Weight, Kind: data.Weight})
	}
	return columns
}

// layout is where an object has its features.
type layout int

const (
	undecided layout = iota
	inArray
	inObject
	inText
	inRecord
)

// What the value that holds the features is, and what it starts with.
var (
	holders = [...]string{inArray: "an array", inObject: "an object", inText: "a string"}
	opens   = [...]byte{inArray: '[', inObject: '{', inText: '"'}
)

type jsonLines struct {
	spec       *Spec
	known      *data.Input
	features   *data.Features
	roles      map[string]string // of keys in records
	missing    string            // "", zero or drop
	label      string            // key of the label; "": not yet known
	unlabelled bool              // there are no labels

	layout layout
	from   string // the key that holds the features
	width  int    // of arrays
	words  prep.Words

	scan         jsonScan
	buf          vec.Buffer
	fields       []jsonField
	inner, spare []jsonField
	name         []byte
	dropped      bool // the example at hand has a missing value
}

func (r *jsonLines) Read(ex *Example) error {
	for {
		line, err := r.scan.src.Line()
		if err != nil {
			return err
		}
		r.scan.reset(line)
		if c := r.scan.peek(); c == 0 || c == '#' {
			continue
		}
		*ex = Example{Weight: 1, Line: r.scan.src.LineNumber()}
		r.dropped = false
		if err := r.parse(ex); err != nil {
			return err
		}
		if !r.dropped {
			return nil
		}
	}
}

func (r *jsonLines) parse(ex *Example) (err error) {
	s := &r.scan
	if s.peek() != '{' {
		return s.fail(s.pos, "expected an object in braces", s.rest(), "write one object a line, e.g. with jq -c '.[]'")
	}
	if r.fields, err = s.fields(r.fields[:0]); err != nil {
		return err
	}
	if s.peek() != 0 {
		return s.fail(s.pos, "more after the object", s.rest(), "write one object a line")
	}
	if err := s.unique(r.fields, &r.spare); err != nil {
		return err
	}
	if err := r.readLabel(ex); err != nil {
		return err
	}
	if r.layout == undecided {
		if err := r.decide(); err != nil {
			return err
		}
	}
	r.buf.Reset()
	if r.layout == inRecord {
		err = r.record(r.fields, ex)
	} else {
		err = r.holder(ex)
	}
	ex.X = r.buf.Row()
	return err
}

func find(fields []jsonField, key string) *jsonField {
	for k := range fields {
		if string(fields[k].key) == key {
			return &fields[k]
		}
	}
	return nil
}

// readLabel finds the key of the label, if need be, and its value.
func (r *jsonLines) readLabel(ex *Example) error {
	if r.unlabelled {
		return nil
	}
	var f *jsonField
	if r.label != "" {
		f = find(r.fields, r.label)
	}
	for _, key := range []string{"label", "class", "target", "y"} {
		if r.label == "" {
			if f = find(r.fields, key); f != nil {
				r.label = key
				r.spec.Found.Label = key
			}
		}
	}
	if f != nil {
		if err := r.labelValue(f, ex); err != nil || ex.Label != nil {
			return err
		}
	}
	if r.known != nil {
		return nil
	}
	key := r.label
	if key == "" {
		key = "label"
	}
	pos := 0
	if f != nil {
		pos = f.start
	}
	return r.scan.fail(pos, "an object without a label", nil, fmt.Sprintf("give each a %q, or name the key of the label with --label, none if there are no labels", key))
}

func (r *jsonLines) labelValue(f *jsonField, ex *Example) (err error) {
	s := &r.scan
	s.pos = f.start
	value := s.line[f.start:f.end]
	switch c := value[0]; {
	case c == '{' || c == '[':
		return s.fail(f.start, "the label is a list", value, "write a string, a number, true or false")
	case c == '"':
		if ex.Label, err = s.str(); err == nil && len(ex.Label) == 0 {
			return s.fail(f.start, "the label is empty", value, "give every example a label, or null")
		}
		return err
	case c == 'n':
		return nil
	case c == 't' || c == 'f':
		ex.Label = value
		return nil
	case allDigits(bytes.TrimPrefix(value, []byte("-"))) && string(value) != "-0":
		ex.Label = value // not through a float64, which would round long numbers
		return nil
	}
	if ex.Label, err = numericLabel(value); err != nil {
		return s.fail(f.start, err.Error(), value, "write a finite decimal number")
	}
	return nil
}

// decide finds out where the features are.
func (r *jsonLines) decide() error {
	r.layout = inRecord
	for _, key := range []string{"x", "features", "text"} {
		f := find(r.fields, key)
		if f == nil || key == r.label {
			continue
		}
		found := layout(0)
		switch c := r.scan.line[f.start]; {
		case c == '[' && key != "text":
			found = inArray
		case c == '{' && key != "text":
			found = inObject
		case c == '"' && key == "text":
			found = inText
		default:
			continue
		}
		if r.layout != inRecord {
			return r.scan.fail(f.at, fmt.Sprintf("features in %q and in %q", r.from, key), nil, "keep one of them")
		}
		r.layout, r.from = found, key
	}
	return r.fits()
}

// fits checks that a model which knows its data can take this layout.
func (r *jsonLines) fits() (err error) {
	if r.layout == inText {
		r.words, err = wordsOf(r.spec)
	}
	if r.known == nil || err != nil {
		return err
	}
	json := r.known.Format == "json"
	want := ""
	switch {
	case r.known.Words != "" && r.layout != inText:
		want = `text; give it as "text": "…"`
	case r.known.Words == "" && r.layout == inText, json && r.known.Width == 0 && r.layout == inArray:
		want = `named features; give them as "features": {…}`
	case json && r.known.Width > 0 && r.layout != inArray:
		want = fmt.Sprintf(`%d numbers; give them as "x": […]`, r.known.Width)
	}
	if want != "" {
		return r.scan.fail(0, "other features than the model's", r.scan.line, "it was trained on "+want)
	}
	if r.layout == inArray {
		r.width = r.known.Width
		r.spec.Found.Width = r.width
	}
	return nil
}

// holder reads an object whose features stand under one key.
func (r *jsonLines) holder(ex *Example) error {
	s := &r.scan
	f := find(r.fields, r.from)
	if f == nil {
		return s.fail(0, fmt.Sprintf("no %q, which the first object has", r.from), s.line, "write all objects alike")
	}
	if s.line[f.start] != opens[r.layout] {
		return s.fail(f.start, fmt.Sprintf("the value of %q is not %s, as in the first object", r.from, holders[r.layout]), s.line[f.start:f.end], "write all objects alike")
	}
	for k := range r.fields {
		g := &r.fields[k]
		if string(g.key) == r.weightKey() {
			if err := r.weight(g, ex); err != nil {
				return err
			}
		} else if string(g.key) != r.from {
			if err := s.check(*g); err != nil {
				return err
			}
		}
	}
	s.pos = f.start
	switch r.layout {
	case inArray:
		return r.array(f)
	case inText:
		text, err := s.str()
		if err == nil {
			r.words.Add(&r.buf, text, r.features)
		}
		return err
	}
	inner, err := s.fields(r.inner[:0])
	if err != nil {
		return err
	}
	r.inner = inner
	if err := s.unique(inner, &r.spare); err != nil {
		return err
	}
	for k := range inner {
		if err := r.named(&inner[k], data.Numeric); err != nil {
			return err
		}
	}
	return nil
}

func (r *jsonLines) weightKey() string {
	if r.spec.Weight != "" {
		return r.spec.Weight
	}
	return "weight"
}

func (r *jsonLines) weight(f *jsonField, ex *Example) (err error) {
	s := &r.scan
	value := s.line[f.start:f.end]
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return s.fail(f.start, "the weight is not a number", value, "write a finite number of at least 0")
	}
	if ex.Weight, err = s.number(f.start, value); err == nil && ex.Weight < 0 {
		return s.fail(f.start, "the weight is negative", value, "write a finite number of at least 0")
	}
	return err
}

// array reads numbered features.
func (r *jsonLines) array(f *jsonField) error {
	s := &r.scan
	n := 0
	for more := s.open(']'); more; n++ {
		s.peek()
		pos := s.pos
		if pos < len(s.line) && bytes.IndexByte([]byte(`"[{`), s.line[pos]) >= 0 {
			return s.fail(pos, fmt.Sprintf("a value of %q that is not a number", r.from), s.line[pos:f.end], "write numbers only; give names and texts as \"features\": {…}")
		}
		token, err := s.token()
		if err != nil {
			return err
		}
		v := 0.0
		switch token[0] {
		case 'n':
			if err := r.isMissing(pos, r.from); err != nil {
				return err
			}
		case 't', 'f':
			return s.fail(pos, fmt.Sprintf("a value of %q that is not a number", r.from), token, "write 1 or 0")
		default:
			if v, err = s.number(pos, token); err != nil {
				return err
			}
		}
		if j, ok := r.features.Numbered(uint32(n)); ok {
			r.buf.Add(j, v)
		}
		if more, err = s.next(']'); err != nil {
			return err
		}
	}
	switch {
	case n == 0:
		return s.fail(f.start, "an array without values", s.line[f.start:f.end], "give at least one")
	case r.width == 0:
		r.width = n
		r.spec.Found.Width = n
	case r.width != n:
		who := "the first object"
		if r.known != nil && r.known.Width > 0 {
			who = "the model"
		}
		return s.fail(f.start, fmt.Sprintf("%d values in %q where %s has %d", n, r.from, who, r.width), nil, "give the same number of values in each line")
	}
	return nil
}

// record reads an object all of whose keys, but for a few, are features.
func (r *jsonLines) record(fields []jsonField, ex *Example) error {
	for k := range fields {
		f := &fields[k]
		role, err := r.roles[string(f.key)], error(nil)
		switch {
		case r.label != "" && string(f.key) == r.label: // read already
		case role == data.Dropped, role == data.Label:
			err = r.scan.check(*f)
		case role == data.Weight:
			err = r.weight(f, ex)
		default:
			err = r.named(f, role)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named reads one named feature.
func (r *jsonLines) named(f *jsonField, role string) (err error) {
	s := &r.scan
	value := s.line[f.start:f.end]
	name, v := f.key, 0.0
	switch c := value[0]; {
	case len(name) == 0:
		return s.fail(f.at, "an empty key", nil, "name the feature")
	case c == '{' || c == '[':
		return s.fail(f.start, fmt.Sprintf("the value of %q is a list", f.key), value, "write numbers, strings, true or false; or leave the key out with --drop")
	case c == 'n':
		return r.isMissing(f.start, string(f.key))
	case c == '"':
		s.pos = f.start
		if value, err = s.str(); err != nil {
			return err
		}
		name, v = r.nominal(f.key, value), 1
	case role == data.Nominal:
		name, v = r.nominal(f.key, value), 1
	case c == 't':
		v = 1
	case c == 'f':
	default:
		if v, err = s.number(f.start, value); err != nil {
			return err
		}
	}
	if j, ok := r.feature(name); ok {
		r.buf.Add(j, v)
	}
	return nil
}

func (r *jsonLines) nominal(key, value []byte) []byte {
	r.name = append(append(append(r.name[:0], key...), '='), value...)
	return r.name
}

// feature is the number of a named feature. A model whose features have no
// names calls them x1, x2, …, and so may its data.
func (r *jsonLines) feature(name []byte) (uint32, bool) {
	if r.known != nil && !r.features.HasNames() && r.features.Bits() == 0 && name[0] == 'x' && allDigits(name[1:]) {
		if j, err := strconv.ParseUint(string(name[1:]), 10, 31); err == nil && j > 0 {
			return r.features.Numbered(uint32(j - 1))
		}
	}
	return r.features.Named(name)
}

func (r *jsonLines) isMissing(pos int, key string) error {
	switch r.missing {
	case "zero":
	case "drop":
		r.dropped = true
	default:
		return r.scan.fail(pos, fmt.Sprintf("a missing value of %q", key), []byte("null"), "say what to do with --missing zero or --missing drop")
	}
	return nil
}
