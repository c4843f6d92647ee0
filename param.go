package halfspace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Param is one parameter of a learner, bound to its field. The table of them
// is the only place where a parameter is described: flags, help, reports and
// checks are made from it. The zero value of a field means its default.
type Param struct {
	Name    string
	Doc     string
	Default string
	Kind    string   // number, integer, word or bool
	Choices []string // the allowed words, if it is a word

	set  func(text string) error
	get  func() any
	zero func() bool
}

// Set gives the parameter a value written as text.
func (p Param) Set(text string) error { return p.set(text) }

// Value is the parameter's value, its default if none was set.
func (p Param) Value() any { return p.get() }

// Complete replaces zero values by defaults and returns the first parameter
// that is out of range.
func Complete(params []Param) error {
	for _, p := range params {
		if p.zero() && p.Default != "" {
			if err := p.set(p.Default); err != nil {
				return err
			}
		}
		if err := p.set(fmt.Sprint(p.get())); err != nil {
			return err
		}
	}
	return nil
}

// Values is what a report keeps of a table.
func Values(params []Param) map[string]any {
	m := map[string]any{}
	for _, p := range params {
		m[p.Name] = p.Value()
	}
	return m
}

// ParamError is a parameter with a value it cannot have.
type ParamError struct{ Name, Value, Allowed string }

func (e *ParamError) Error() string {
	return fmt.Sprintf("%s = %s is not possible; it must be %s", e.Name, e.Value, e.Allowed)
}

// Float is a number in [low, high]; with low = 0 it must be more than zero
// unless zero is the default, or there is none.
func Float(field *float64, name, def string, low, high float64, doc string) Param {
	open := low == 0 && def != "0" && def != ""
	allowed := fmt.Sprintf("a number from %v to %v", low, high)
	switch {
	case math.IsInf(high, 1) && math.IsInf(low, -1):
		allowed = "a finite number"
	case math.IsInf(high, 1) && open:
		allowed = "a number greater than 0"
	case math.IsInf(high, 1):
		allowed = fmt.Sprintf("a number of at least %v", low)
	case open:
		allowed = fmt.Sprintf("a number greater than 0, at most %v", high)
	}
	return Param{
		Name: name, Doc: doc, Default: def, Kind: "number",
		zero: func() bool { return *field == 0 },
		get:  func() any { return *field },
		set: func(text string) error {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < low || v > high || open && v == 0 {
				return &ParamError{name, text, allowed}
			}
			*field = v
			return nil
		},
	}
}

// Int is a whole number in [low, high].
func Int(field *int, name, def string, low, high int, doc string) Param {
	allowed := fmt.Sprintf("a whole number from %d to %d", low, high)
	if high == math.MaxInt {
		allowed = fmt.Sprintf("a whole number of at least %d", low)
	}
	return Param{
		Name: name, Doc: doc, Default: def, Kind: "integer",
		zero: func() bool { return *field == 0 },
		get:  func() any { return *field },
		set: func(text string) error {
			f, err := strconv.ParseFloat(strings.TrimSpace(text), 64) // 1e5 is a whole number too
			if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 || int(f) < low || int(f) > high {
				return &ParamError{name, text, allowed}
			}
			*field = int(f)
			return nil
		},
	}
}

// Word is one of a few names.
func Word[T ~string](field *T, name string, choices []string, doc string) Param {
	return Param{
		Name: name, Doc: doc, Default: choices[0], Kind: "word", Choices: choices,
		zero: func() bool { return *field == "" },
		get:  func() any { return string(*field) },
		set: func(text string) error {
			if !slices.Contains(choices, text) {
				return &ParamError{name, strconv.Quote(text), "one of " + strings.Join(choices, ", ")}
			}
			*field = T(text)
			return nil
		},
	}
}

// Flag is on or off.
func Flag(field *bool, name, doc string) Param {
	return Param{
		Name: name, Doc: doc, Kind: "bool",
		zero: func() bool { return !*field },
		get:  func() any { return *field },
		set: func(text string) error {
			v, err := strconv.ParseBool(text)
			if err != nil {
				return &ParamError{name, text, "true or false"}
			}
			*field = v
			return nil
		},
	}
}
