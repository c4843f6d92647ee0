package format

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// guard is r behind what holds for every format: labels that are whole numbers
// are written in one way, and there are none if spec says so.
//
// Readers take finite values only and every feature once. Where hashed features
// meet in a bucket they are summed, and only that sum can be too large for a
// number: it is looked at here too.
func guard(r Reader, src *Source, spec *Spec) Reader {
	return &guarded{Reader: r, src: src, features: spec.Features, unlabelled: spec.Label == "none", label: make([]byte, 0, 24)}
}

type guarded struct {
	Reader
	src        *Source
	features   *data.Features
	unlabelled bool
	label      []byte // memory for one
}

func (g *guarded) Read(ex *Example) error {
	if err := g.Reader.Read(ex); err != nil {
		return err
	}
	if g.unlabelled {
		ex.Label = nil
	} else if ex.Label != nil {
		ex.Label = plainLabel(g.label[:0], ex.Label)
	}
	// Beyond the buckets stand notes of missing values, which are NaN.
	if g.features.Bits() == 0 || vec.Finite(ex.X.Trim(g.features.Len()).Val) {
		return nil
	}
	return g.src.fail(ex.Line, 0, fmt.Sprintf("values that share one of %d hash buckets sum to more than a number can hold", g.features.Len()), "",
		"scale the values down, or hash into more buckets with --hash BITS")
}
