package format

import (
	"bytes"
	"math"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Missing values of a table: refused, or the feature is left out (zero), or
// the row (drop), or the mean of the column stands in. That is known only
// after the last row, so until Finish a row has a NaN for it: who reads row by
// row without a model cannot mistake it for a value. A missing nominal cell has
// no level under zero and mean.

// addMissing does with a missing cell what is to be done.
func (t *table) addMissing(p int) (keep bool, err error) {
	c := &t.columns[p]
	switch {
	case t.missing == "":
		do := "use --missing mean, zero or drop"
		if !t.training {
			do = "use --missing zero"
		}
		return false, t.fail(p, "a missing value in "+t.called(p), do)
	case t.missing == "drop":
		return false, nil
	case t.missing == "zero" || c.kind == data.Nominal:
	case t.training:
		t.buf.Add(t.placeholder(p), math.NaN())
		t.holes = true
	default:
		t.buf.Add(c.feature, c.mean)
	}
	return true, nil
}

// placeholder is the feature under which a row notes that column p waits for
// its mean. Hashed features may coincide and are summed, so there the note
// stands beyond them.
func (t *table) placeholder(p int) uint32 {
	if bits := t.spec.Features.Bits(); bits > 0 {
		return 1<<bits + uint32(p)
	}
	return t.columns[p].feature
}

// meanScale keeps the sum of as many as 2^40 values from overflowing; a power
// of two changes no digit.
const meanScale = 0x1p-40

// settleMeans computes the means, for the rows and for Found. A column without
// any value has the mean 0.
func (t *table) settleMeans() {
	if t.missing != "mean" || !t.training {
		return
	}
	for p := range t.columns {
		c := &t.columns[p]
		if c.kind != data.Numeric || c.present == 0 {
			continue
		}
		mean := c.sum / float64(c.present) / meanScale
		c.mean = min(max(mean, -math.MaxFloat64), math.MaxFloat64)
		t.spec.Found.Columns[p].Mean = c.mean
	}
}

// Finish puts the means where values are missing.
func (t *table) Finish(s *data.Set) *data.Set {
	if !t.holes {
		return s
	}
	waiting := make(map[int]*column, len(t.numeric))
	for _, p := range t.numeric {
		waiting[int(t.placeholder(p))] = &t.columns[p]
	}
	return s.Map(s.Features(), func(dst *vec.Buffer, x vec.Row) {
		for k := range x.Len() {
			j, v := x.At(k)
			feature := uint32(j)
			if math.IsNaN(v) {
				c := waiting[j]
				feature, v = c.feature, c.mean
			}
			dst.Add(feature, v)
		}
	})
}

// missingCell reports whether a cell says that there is no value.
func missingCell(s []byte) bool {
	if len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = bytes.Trim(s, " \t")
	}
	switch string(s) {
	case "", "?", "NA", "N/A", "n/a", "null", "NULL", "NaN", "nan", "NAN":
		return true
	}
	return false
}
