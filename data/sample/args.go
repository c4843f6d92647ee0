package sample

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/near"
)

// Param is a number that a generator may be told.
type Param struct {
	Name     string
	Doc      string
	Default  float64
	Min, Max float64
	Whole    bool
}

// Args are the values of parameters by name. A missing one has its default.
type Args map[string]float64

// parseArgs reads "n=500,seed=1" and fills in the defaults.
func parseArgs(list string, params []Param) (Args, error) {
	args := Args{}
	if list != "" {
		for _, item := range strings.Split(list, ",") {
			name, text, equals := strings.Cut(item, "=")
			name, text = strings.TrimSpace(name), strings.TrimSpace(text)
			if !equals {
				return nil, &data.InputError{What: "expected name=value", Found: item, Do: usage(params)}
			}
			p := param(params, name)
			if p == nil {
				return nil, &data.InputError{What: "no parameter of this name", Found: name, Do: near.Advice(name, "parameters", paramNames(params))}
			}
			if _, twice := args[name]; twice {
				return nil, &data.InputError{What: name + " is given twice", Found: item, Do: "give every parameter once"}
			}
			v, ok := p.parse(text)
			if !ok {
				return nil, &data.InputError{What: name + " is not " + p.allowed(), Found: text, Do: "change it, or leave it out for " + fmt.Sprint(p.Default)}
			}
			args[name] = v
		}
	}
	for _, p := range params {
		if _, given := args[p.Name]; !given {
			args[p.Name] = p.Default
		}
	}
	return args, nil
}

func (p *Param) parse(text string) (float64, bool) {
	if strings.ContainsAny(text, "xX_pP") { // no hexadecimal, no underscores
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v >= p.Min && v <= p.Max && (!p.Whole || v == math.Trunc(v))
}

func (p *Param) allowed() string {
	what := "a number"
	if p.Whole {
		what = "a whole number"
	}
	return fmt.Sprintf("%s from %s to %s", what, plain(p.Min), plain(p.Max))
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func param(params []Param, name string) *Param {
	for i := range params {
		if params[i].Name == name {
			return &params[i]
		}
	}
	return nil
}

func paramNames(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

func usage(params []Param) string {
	return "parameters are " + strings.Join(paramNames(params), ", ")
}
