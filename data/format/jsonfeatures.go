package format

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
)

// The features of JSON lines.

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
	value := r.scan.line[f.start:f.end]
	if ex.Weight, err = parseWeight(value); err != nil {
		return r.scan.fail(f.start, err.Error(), value, "correct it")
	}
	return nil
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
		r.width, r.first = n, s.src.LineNumber()
		r.spec.Found.Width = n
	case r.width != n:
		return s.src.ragged(f.start+1, n, r.first, r.width)
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
