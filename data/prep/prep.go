// Package prep holds feature maps: functions from rows to rows that are fitted
// once on training data and then belong to the model, so that a model takes
// raw data. A map is one file here and one line in All.
package prep

import (
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Map turns a row into another row. A fitted map is immutable, and its
// exported fields are what a model file keeps of it.
type Map interface {
	// Fit learns from the training set what the map needs to know, at least
	// the number of features it starts from.
	Fit(s *data.Set) error
	// Apply appends the image of x to dst. Features beyond those it was fitted
	// on are left out.
	Apply(dst *vec.Buffer, x vec.Row)
	// Features are the names after the map, given those before.
	Features(in *data.Features) *data.Features
}

// Folder is a map that a linear classifier can take over into its own weights:
// after Fold, the weights give on raw rows the scores they gave on mapped ones.
type Folder interface {
	Map
	Fold(w []float64, bias *float64)
}
