// Package figure draws what a linear classifier is and does: SVG, PNG, PDF,
// animations and text for a terminal, from sets, models and arrays. It knows no
// learner: whoever draws brings what the figure says it needs.
//
// A figure is one file and one line in All.
package figure

import (
	"fmt"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/near"
)

// Figure is one kind of picture.
type Figure struct {
	Name string
	Doc  string // one line
	Need Need   // beside the set
	draw func(s *Subject, st Style) (*Drawing, error)
}

// Draw draws the figure, unless it would not be fit to be seen.
func (f *Figure) Draw(s *Subject, st Style) (*Drawing, error) {
	d, err := f.draw(s, st)
	if err != nil {
		return nil, err
	}
	if d.cramped && st.Mono {
		return nil, misuse("the figure %s with its titles does not fit into %.0f columns and %.0f rows; make the terminal larger, or write it to a file with -o", f.Name, st.W/cellWide, st.H/cellHigh)
	}
	if d.cramped {
		return nil, misuse("the figure %s with its titles does not fit into %.0fx%.0f pixels; give it more with --size", f.Name, st.W, st.H)
	}
	return d, nil
}

// Need says what of a Subject must be filled in.
type Need string

// What figures are drawn from.
const (
	NeedSet   Need = "set"   // the examples only
	NeedModel Need = "model" // a trained model
	NeedSteps Need = "steps" // how it was trained
	NeedRates Need = "rates" // the same, for several rates
	NeedMany  Need = "many"  // several models of the same examples
	NeedLoops Need = "loops" // errors after a number of loops
	NeedFirst Need = "first" // errors after learning from the first n
	NeedWays  Need = "ways"  // models by several ways to many classes
	NeedGates Need = "gates" // the gates as models; no set
	NeedTwo   Need = "two"   // a trained model of two classes
)

// All is the one list of figures.
var All = []Figure{
	boundaryFigure,
	stepsFigure,
	lossFigure,
	ratesFigure,
	costFigure,
	solutionFigure,
	marginFigure,
	separatorsFigure,
	projectionFigure,
	loopsFigure,
	firstFigure,
	digitsFigure,
	weightsFigure,
	regionsFigure,
	networkFigure,
	gatesFigure,
	rocFigure,
	prFigure,
	calibrationFigure,
}

// Subject is what a figure is drawn from.
type Subject struct {
	Name     string // of the data
	Set      *data.Set
	Features []string // the two to draw on; nil: those there are, or discriminants
	Model    *halfspace.Model
	Learner  string     // and its parameters, as the user wrote them
	History  *History   // of Model
	Runs     []Run      // several trainings
	Curve    Curve      // errors
	Judged   *Judged    // how the model did on examples; two classes
	Columns  int        // of an image that a row is; 0: find out
	Gates    []GateUnit // the gates
}

// Run is one of several trainings.
type Run struct {
	Name    string
	Model   *halfspace.Model
	History *History
}

// Misuse is a figure that cannot be drawn from what it was given.
type Misuse struct{ What string }

func (e *Misuse) Error() string { return e.What }

func misuse(format string, args ...any) error { return &Misuse{fmt.Sprintf(format, args...)} }

// ByName is the figure of that name.
func ByName(name string) (*Figure, error) {
	for i := range All {
		if All[i].Name == name {
			return &All[i], nil
		}
	}
	return nil, misuse("no figure %q; %s", name, near.Advice(name, "figures", Names()))
}

// Names are the names of all figures.
func Names() []string {
	var names []string
	for _, f := range All {
		names = append(names, f.Name)
	}
	return names
}

// Fits refuses a set of which the figure cannot be drawn, before any training.
func (f *Figure) Fits(s *Subject) error {
	switch n := len(s.Set.Classes()); {
	case f.Need == NeedTwo || f.Need == NeedMany:
		return s.twoClasses(f.Name)
	case f.Need == NeedWays && n < 3:
		return misuse("the figure %s is of three classes or more, and %s has %d; try --figure boundary", f.Name, s.Name, n)
	}
	return nil
}

// twoClasses refuses a subject of more classes.
func (s *Subject) twoClasses(figure string) error {
	if n := len(s.Set.Classes()); n != 2 {
		return misuse("the figure %s is of two classes, and %s has %d; choose two with --pair A,B, or one against the rest with --relabel", figure, s.Name, n)
	}
	return nil
}

// plane refuses a model that is not one plane in the raw features.
func (s *Subject) plane(figure string) error {
	if err := s.twoClasses(figure); err != nil {
		return err
	}
	switch m := s.Model; {
	case m.Hidden() != nil:
		return misuse("the figure %s shows one plane, and a network has none; try --figure boundary or --figure network", figure)
	case len(m.Voters) > 0:
		return misuse("the figure %s shows one plane, and %s is a vote of %d; try --figure boundary, or --learner averaged", figure, m.Report.Learner, len(m.Voters))
	case len(m.Maps) > 0:
		return misuse("the figure %s shows a plane in the data's own features, and --map %s made others; leave the map out, or try --figure boundary", figure, strings.Join(m.Maps.Kinds(), " --map "))
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// are is "1 example is" or "2 examples are".
func are(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return count(n, what) + " are"
}

// feature is the number of a feature by its name, or by its number from 1.
func feature(f *data.Features, name string, dim int) (int, error) {
	names := make([]string, dim)
	for j := range names {
		if names[j] = f.Name(j); names[j] == name {
			return j, nil
		}
	}
	var n int
	if _, err := fmt.Sscanf(name, "%d", &n); err == nil && n >= 1 && n <= dim && fmt.Sprint(n) == name {
		return n - 1, nil
	}
	if dim > 40 {
		names = names[:40]
	}
	return 0, misuse("no feature %q; %s", name, near.Advice(name, "features", names))
}
