package format

import (
	"fmt"
	"slices"
	"strings"
)

// refuse returns an error if spec asks for something that cannot be done, or
// that this format has no use for: to ignore a column of weights would give a
// wrong answer without a word. What is read for a model may be in another
// format than the model's data, so there it is let pass.
func (f *Format) refuse(src *Source, spec *Spec) error {
	for _, o := range []struct{ name, value, allowed string }{
		{"header", spec.Header, "yes, no"},
		{"missing", spec.Missing, "mean, zero, drop"},
		{"words", spec.Words, "counts, binary"},
	} {
		if o.value != "" && !slices.Contains(strings.Split(o.allowed, ", "), o.value) {
			return fmt.Errorf("%s is %q; it must be one of %s", o.name, o.value, o.allowed)
		}
	}
	if spec.Known != nil {
		return nil
	}
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"label", spec.Label != "" && spec.Label != "none"},
		{"labels", spec.Labels != ""},
		{"header", spec.Header != ""},
		{"missing", spec.Missing != ""},
		{"nominal", len(spec.Nominal) > 0},
		{"drop", len(spec.Drop) > 0},
		{"weight", spec.Weight != ""},
		{"words", spec.Words != ""},
	} {
		if o.given && !slices.Contains(f.Takes, o.name) {
			return src.fail(0, 0, fmt.Sprintf("the format %s has no use for --%s", f.Name, o.name), "", "leave it out, or name another format with --format")
		}
	}
	return nil
}
