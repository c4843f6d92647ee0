package prep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/near"
	"github.com/halfspace-ml/halfspace/vec"
)

// Pipeline is maps applied one after another. The empty one leaves rows as
// they are. A fitted pipeline may be used by many goroutines at a time.
type Pipeline []Map

// ParsePipeline makes the unfitted pipeline of the given specs.
func ParsePipeline(specs ...string) (Pipeline, error) {
	var p Pipeline
	for _, spec := range specs {
		m, err := Parse(spec)
		if err != nil {
			return nil, err
		}
		p = append(p, m)
	}
	return p, nil
}

// Fit fits every map on what the ones before it make of s, and returns what
// all make of it.
func (p Pipeline) Fit(s *data.Set) (*data.Set, error) {
	for k, m := range p {
		if err := m.Fit(s); err != nil {
			return nil, err
		}
		if err := p[:k+1].check(); err != nil {
			return nil, err
		}
		s = s.Map(m.Features(s.Features()), m.Apply)
	}
	return s, nil
}

// Set is the same examples with their rows mapped.
func (p Pipeline) Set(s *data.Set) *data.Set {
	if len(p) == 0 {
		return s
	}
	a := p.Applier()
	return s.Map(p.Features(s.Features()), func(dst *vec.Buffer, x vec.Row) {
		dst.AddRow(a.Row(x), 0)
	})
}

// Features are the names after the maps, given those before.
func (p Pipeline) Features(in *data.Features) *data.Features {
	for _, m := range p {
		in = m.Features(in)
	}
	return in
}

// Kinds are the names of the maps.
func (p Pipeline) Kinds() []string {
	var kinds []string
	for _, m := range p {
		if s, ok := m.(saved); ok {
			kinds = append(kinds, s.kind())
		}
	}
	return kinds
}

// In is the number of features that a fitted p starts from; false if the first
// map does not tell, or there is none.
func (p Pipeline) In() (n int, known bool) {
	if len(p) == 0 {
		return 0, false
	}
	s, ok := p[0].(saved)
	if !ok {
		return 0, false
	}
	n, _ = s.dims()
	return n, true
}

// Unfolded is p without the folders at its end, and those, in the order in
// which weights are to be folded: the last map first.
func (p Pipeline) Unfolded() (rest Pipeline, folders []Folder) {
	n := len(p)
	for ; n > 0; n-- {
		f, ok := p[n-1].(Folder)
		if !ok {
			break
		}
		folders = append(folders, f)
	}
	return slices.Clip(p[:n]), folders
}

// Applier maps one row after another in the same memory. It serves one
// goroutine.
type Applier struct {
	maps Pipeline
	bufs [2]vec.Buffer
}

// Applier is a new applier of p.
func (p Pipeline) Applier() *Applier { return &Applier{maps: p} }

// Row is the image of x, valid until the next call. An empty pipeline returns x.
func (a *Applier) Row(x vec.Row) vec.Row {
	for k, m := range a.maps {
		buf := &a.bufs[k%2]
		buf.Reset()
		m.Apply(buf, x)
		x = buf.Row()
	}
	return x
}

// Row is the image of x in memory of its own. For many rows, use an Applier.
func (p Pipeline) Row(x vec.Row) vec.Row { return p.Applier().Row(x) }

const (
	// usualEntries is how many values a row of raw data is taken to have when
	// the size of its image is bounded.
	usualEntries = 256
	// maxEntries bounds that size: a few maps that multiply, one after another,
	// would make rows that no memory holds.
	maxEntries = 1 << 22
)

// check is what is wrong with p as a whole, nil if it can be applied.
func (p Pipeline) check() error {
	n := usualEntries
	before := -1
	for k, m := range p {
		s, ok := m.(saved)
		if !ok {
			before = -1
			continue
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("map %d, %s: %w", k+1, s.kind(), err)
		}
		in, out := s.dims()
		if before >= 0 && in != before {
			return fmt.Errorf("map %d, %s, is for %d features and the map before it makes %d", k+1, s.kind(), in, before)
		}
		before = out
		if n = s.entries(min(n, in)); n > maxEntries {
			return fmt.Errorf("map %d, %s, may make %d values of a row; at most %d are allowed: use fewer features or fewer maps, or hash before it", k+1, s.kind(), n, maxEntries)
		}
	}
	return nil
}

// MarshalJSON writes p as a list of objects, each with the name of its map.
func (p Pipeline) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for k, m := range p {
		s, ok := m.(saved)
		if !ok {
			return nil, fmt.Errorf("map %d is of type %T, which cannot be saved; use the maps of package prep", k+1, m)
		}
		fields, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if k > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"map":%q,%s`, s.kind(), fields[1:])
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses anything that could
// not be applied.
func (p *Pipeline) UnmarshalJSON(text []byte) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil {
		return fmt.Errorf("the feature maps are no list: %w", err)
	}
	read := make(Pipeline, 0, len(elements))
	for k, e := range elements {
		m, err := unmarshalMap(e)
		if err != nil {
			return fmt.Errorf("map %d: %w", k+1, err)
		}
		read = append(read, m)
	}
	if err := read.check(); err != nil {
		return err
	}
	*p = read
	return nil
}

func unmarshalMap(text json.RawMessage) (Map, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	var name string
	if err := json.Unmarshal(fields["map"], &name); err != nil {
		return nil, errors.New(`the field "map" with the name of the map is missing or no text`)
	}
	kind := ByName(name)
	if kind == nil {
		return nil, fmt.Errorf("no feature map %q; %s", name, near.Advice(name, "maps", Names()))
	}
	delete(fields, "map")
	if _, ok := fields["in"]; !ok {
		return nil, fmt.Errorf(`%s: the field "in" is missing`, name)
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	m := kind.blank()
	d := json.NewDecoder(bytes.NewReader(rest))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
