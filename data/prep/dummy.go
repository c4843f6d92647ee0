package prep

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Dummy appends a feature that is 1 in every row, so that a classifier without
// a bias, w·x, gets one as the last weight.
type Dummy struct {
	In int `json:"in"`
}

var dummyKind = Kind{
	Name:  "dummy",
	Doc:   "append a feature that is always 1",
	Parse: func(string) (Map, error) { return &Dummy{}, nil },
	blank: func() saved { return &Dummy{} },
}

// Fit implements Map.
func (m *Dummy) Fit(s *data.Set) error {
	m.In = s.Dim()
	return m.check()
}

// Apply implements Map.
func (m *Dummy) Apply(dst *vec.Buffer, x vec.Row) {
	dst.AddRow(x.Trim(m.In), 0)
	dst.Add(uint32(m.In), 1)
}

// Features implements Map.
func (m *Dummy) Features(in *data.Features) *data.Features {
	return appended(in, m.In, 1, func(int) string { return "dummy" })
}

func (m *Dummy) kind() string        { return dummyKind.Name }
func (m *Dummy) dims() (in, out int) { return m.In, m.In + 1 }
func (m *Dummy) entries(n int) int   { return n + 1 }

func (m *Dummy) check() error {
	if m.In == data.MaxFeatures {
		return fmt.Errorf("no room for a dummy feature after %d features", m.In)
	}
	return checkIn(m.In)
}
