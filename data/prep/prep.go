// Package prep holds feature maps: functions from rows to rows that are fitted
// once on training data and then belong to the model, so that a model takes
// raw data. A map is one file here and one line in All.
package prep

import (
	"fmt"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/near"
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

// Kind is one sort of map, as the user names it.
type Kind struct {
	Name string
	Arg  string // what may follow the name and a colon; empty: nothing
	Doc  string
	// Parse makes an unfitted map. An empty argument means the default. Nil: no
	// user asks for such a map, a learner makes it.
	Parse func(arg string) (Map, error)
	// blank is a map for a file to be read into.
	blank func() saved
}

// All is the one list of maps.
var All = []Kind{
	dummyKind,
	standardiseKind,
	rowsKind,
	productsKind,
	hashKind,
	layerKind,
}

// saved is a map that a model file can keep.
type saved interface {
	Map
	// kind is its name in All.
	kind() string
	// dims is the number of features before and after.
	dims() (in, out int)
	// check is what is wrong with the fields, nil if Apply can rely on them.
	check() error
	// entries bounds how many values the image of a row with n values has.
	entries(n int) int
}

// ByName is the kind of that name, nil if there is none.
func ByName(name string) *Kind {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// Names are the names of all maps that can be asked for.
func Names() []string {
	var names []string
	for _, k := range All {
		if k.Parse != nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// Parse makes the unfitted map that spec names, such as "dummy" or "rows:8".
func Parse(spec string) (Map, error) {
	name, arg, colon := strings.Cut(spec, ":")
	k := ByName(name)
	switch {
	case k == nil:
		return nil, fmt.Errorf("no feature map %q; %s", name, near.Advice(name, "maps", Names()))
	case k.Parse == nil:
		return nil, fmt.Errorf("the feature map %s is made by a learner, not asked for; leave it out", name)
	case colon && k.Arg == "":
		return nil, fmt.Errorf("the feature map %s takes no argument, found %q; write %s", name, spec, name)
	case colon && arg == "":
		return nil, fmt.Errorf("nothing after the colon in %q; write %s or %s:%s", spec, name, name, k.Arg)
	}
	return k.Parse(arg)
}

// checkIn refuses a number of features that no set has.
func checkIn(in int) error {
	if in < 0 || in > data.MaxFeatures {
		return fmt.Errorf("in is %d; a number of features is from 0 to %d", in, data.MaxFeatures)
	}
	return nil
}

// appended is the list of in features followed by more, named by a function of
// the number from 0 among the new.
func appended(before *data.Features, in, more int, name func(j int) string) *data.Features {
	return data.DerivedFeatures(in+more, func(j int) string {
		if j < in {
			return before.Name(j)
		}
		return name(j - in)
	})
}
