// Package sample has the built-in sets: the examples of the course documents,
// a few classics small enough to carry along, and generators. A set is one
// line in All, and its file in sets, if it has one.
package sample

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/internal/near"
)

// Sample is one built-in set, or a family of them with parameters.
type Sample struct {
	Name    string
	Doc     string
	Source  string
	Licence string
	Params  []Param // what a generator may be told; nil for a stored set
	// Open reads or generates the set. It reads as spec says where that can
	// matter: names and numbers of features, what a model's data was like.
	Open func(ctx context.Context, args Args, spec *format.Spec) (*data.Set, error)
}

// Is reports whether path names a built-in set: it starts with @.
func Is(path string) bool { return strings.HasPrefix(path, "@") }

// ByName is the set of that name, nil if there is none.
func ByName(name string) *Sample {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// Names are the names of all sets.
func Names() []string {
	names := make([]string, len(All))
	for i, s := range All {
		names[i] = s.Name
	}
	return names
}

// written are the names as they are written.
func written() []string {
	names := Names()
	for i, n := range names {
		names[i] = "@" + n
	}
	return names
}

// Read is the set that a name stands for, such as "@iris" or
// "@separable:n=500,margin=0.2".
func Read(name string) (*data.Set, error) {
	return ReadSpec(context.Background(), name, &format.Spec{})
}

// ReadSpec is Read for a caller who may give up, and who may know how the data
// has to be read, because a model was trained on its like.
func ReadSpec(ctx context.Context, name string, spec *format.Spec) (*data.Set, error) {
	short, list, colon := strings.Cut(strings.TrimPrefix(name, "@"), ":")
	s := ByName(short)
	if s == nil {
		return nil, &data.InputError{File: name, What: "no built-in set of this name", Do: near.Advice("@"+short, "sets", written())}
	}
	if colon && s.Params == nil {
		return nil, &data.InputError{File: name, What: "this set takes no parameters", Found: list, Do: "write @" + short}
	}
	args, err := parseArgs(list, s.Params)
	if err != nil {
		return nil, named(err, name)
	}
	set, err := s.Open(ctx, args, spec)
	return set, named(err, name)
}

// named is err with the file it is about, if it does not say.
func named(err error, file string) error {
	var in *data.InputError
	if errors.As(err, &in) && in.File == "" {
		in.File = file
	}
	return err
}

// Usage is how the set is written, with the defaults of its parameters.
func (s *Sample) Usage() string {
	text := "@" + s.Name
	for i, p := range s.Params {
		sep := ","
		if i == 0 {
			sep = ":"
		}
		text += fmt.Sprintf("%s%s=%v", sep, p.Name, p.Default)
	}
	return text
}
