package format

import (
	"bytes"
	"fmt"
	"slices"

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
	Takes:     []string{"label", "missing", "nominal", "drop", "weight", "words"},
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
		return nil, src.fail(0, 0, "JSON lines keep no means for missing values", "", "use --missing zero or drop")
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
	width  int    // of arrays; 0: the first will tell
	first  int    // the line that told; 0: the model did
	words  prep.Words

	scan         jsonScan
	buf          vec.Buffer
	fields       []jsonField
	inner, spare []jsonField
	name         []byte
	number       []byte // the label, if it is a number
	dropped      bool   // the example at hand has a missing value
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
	if !r.spec.needsLabels() {
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
	return r.scan.fail(pos, "an object without a label", nil, fmt.Sprintf("give each a %q, name the key of the label with --label, %s", key, sayNone))
}

func (r *jsonLines) labelValue(f *jsonField, ex *Example) (err error) {
	s := &r.scan
	s.pos = f.start
	value := s.line[f.start:f.end]
	switch c := value[0]; {
	case c == '{' || c == '[':
		return s.fail(f.start, "the label is a list", value, "write a string, a number, true or false")
	case c == '"':
		label, err := s.str()
		if len(label) > 0 {
			ex.Label = label
		} else if err == nil && r.spec.needsLabels() {
			return s.fail(f.start, "the label is empty", value, giveLabel)
		}
		return err
	case c == 'n':
		return nil
	case c == 't' || c == 'f':
		ex.Label = value
		return nil
	}
	if r.number, err = numericLabel(r.number[:0], value); err != nil {
		return s.fail(f.start, err.Error(), value, "write a finite decimal number")
	}
	ex.Label = r.number
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
func (r *jsonLines) fits() error {
	if r.layout == inText {
		r.words = wordsOf(r.spec)
	}
	if r.known == nil {
		return nil
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
