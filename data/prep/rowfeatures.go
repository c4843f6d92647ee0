package prep

import (
	"fmt"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

const (
	defaultWidth = 8       // the digits of the assignment are 8×8
	maxImageRows = 1 << 16 // a map from a file makes no more features a row than this
)

// RowFeatures takes a row as an image of Width columns, line after line, and
// appends a feature for every line of it: 1 if at least half of its pixels are
// black, else -1. A pixel is black if it is positive; one that is not stored
// is 0, thus white.
//
// This is the last task of the perceptron assignment on handwritten digits.
type RowFeatures struct {
	Width int `json:"width"`
	In    int `json:"in"`
}

var rowsKind = Kind{
	Name:  "rows",
	Arg:   "WIDTH",
	Doc:   "append a feature per line of an image of WIDTH columns (8): 1 if at least half of it is black, else -1",
	Parse: parseRows,
	blank: func() saved { return &RowFeatures{} },
}

func parseRows(arg string) (Map, error) {
	if arg == "" {
		return &RowFeatures{Width: defaultWidth}, nil
	}
	width, err := strconv.Atoi(arg)
	if err != nil || width < 1 || width > data.MaxFeatures {
		return nil, fmt.Errorf("rows: the width is a whole number from 1, found %q; write e.g. rows:8", arg)
	}
	return &RowFeatures{Width: width}, nil
}

// Fit implements Map.
func (m *RowFeatures) Fit(s *data.Set) error {
	m.In = s.Dim()
	return m.check()
}

// Apply implements Map.
func (m *RowFeatures) Apply(dst *vec.Buffer, x vec.Row) {
	x = x.Trim(m.In)
	dst.AddRow(x, 0)
	k := 0
	for line := range m.In / m.Width {
		black := 0
		for end := (line + 1) * m.Width; k < x.Len(); k++ {
			j, v := x.At(k)
			if j >= end {
				break
			}
			if v > 0 {
				black++
			}
		}
		value := -1.0
		if 2*black >= m.Width {
			value = 1
		}
		dst.Add(uint32(m.In+line), value)
	}
}

// Features implements Map.
func (m *RowFeatures) Features(in *data.Features) *data.Features {
	return appended(in, m.In, m.In/m.Width, func(line int) string { return "row" + strconv.Itoa(line+1) })
}

func (m *RowFeatures) kind() string        { return rowsKind.Name }
func (m *RowFeatures) dims() (in, out int) { return m.In, m.In + m.In/m.Width }
func (m *RowFeatures) entries(n int) int   { return n + m.In/m.Width }

func (m *RowFeatures) check() error {
	if err := checkIn(m.In); err != nil {
		return err
	}
	switch {
	case m.Width < 1:
		return fmt.Errorf("the width is %d; it must be at least 1", m.Width)
	case m.In%m.Width != 0:
		return fmt.Errorf("%d features are no image of %d columns; give the width as rows:WIDTH, and put rows before maps that add features", m.In, m.Width)
	case m.In/m.Width > maxImageRows:
		return fmt.Errorf("%d lines of %d pixels; at most %d lines are allowed, is the width right?", m.In/m.Width, m.Width, maxImageRows)
	case m.In+m.In/m.Width > data.MaxFeatures:
		return fmt.Errorf("no room for %d more features after %d", m.In/m.Width, m.In)
	}
	return nil
}
