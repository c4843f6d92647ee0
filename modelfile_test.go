package halfspace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// odd are names that would break a careless format.
var odd = []string{`"`, "}", "\n}\n", "two words", "größe", "名前", "a\tb", `back\slash`, "sha256 0", "<&>", "\u2028", "\x00"}

// worked is the model of the worked example of document 000.
func worked() *Model {
	m := plain(linear(1, 0.88, -1.12), "red", "blue")
	m.Input = data.Input{Format: "bmp"}
	m.Features = data.NewFeatures("column", "row")
	m.Report = Report{
		Program: "halfspace 0.1.0", Learner: "perceptron", Parameters: map[string]any{"epochs": 10.0, "rate": 0.01, "tie": "wrong"},
		Bias: true, Data: DataReport{Examples: 5, Features: 2, Nonzeros: 10, Classes: m.Classes, Counts: []int{2, 3}, Digest: "sha256:00"},
		Epochs: 3, Updates: 2, Mistakes: 2, Converged: true, Train: &Tally{Examples: 5}, Warnings: []string{},
	}
	return m
}

// samples are models with everything a file may hold.
func samples() map[string]*Model {
	voting := plain(linear(0, 1, 2), "p", "n")
	voting.Voters = []Voter{{3, linear(1, 2, 3)}, {math.MaxInt, linear(0.1, 1e-320, -math.MaxFloat64)}}

	three := plain(NewWeights(3, 2), odd[:3]...)
	three.Weights.W[2][1], three.Weights.Bias[1] = math.Copysign(0, -1), 1./3
	three.State = &State{17, NewWeights(3, 2), NewWeights(3, 2)}
	three.State.Weights.W[0][0], three.State.Sum.W[2][1] = math.Pi, 1./7
	three.Tie = TieNegative

	mapped := plain(linear(0, make([]float64, len(odd)+1)...), odd...)
	mapped.Weights = NewWeights(len(odd), len(odd)+1)
	mapped.Features = data.NewFeatures(odd...)
	mapped.Maps = prep.Pipeline{&prep.Dummy{In: len(odd)}}
	mapped.Report.Warnings = odd

	named := plain(linear(0, make([]float64, len(odd)+3)...), "1", "-1")
	named.Features = data.RestoreFeatures(append([]string{""}, odd...), len(odd)+3, 0) // the last two have no name
	named.Input.Columns = []data.Column{{Name: "\n}\n", Kind: data.Numeric, Mean: 1e-17}}

	hashed := plain(linear(0, 1, 2, 3, 4), "p", "n")
	hashed.Features = data.HashedFeatures(2)

	empty := plain(linear(0.5), "only")
	empty.Features = data.NewFeatures()

	platt := plain(linear(0.5, 1, 2), "p", "n")
	platt.Proba = &Calibration{Kind: LinkPlatt, Folds: 5, Curves: []Curve{{A: -1. / 3, B: 1e-17}}}
	curves := plain(NewWeights(3, 2), "a", "b", "c")
	curves.Proba = &Calibration{Kind: LinkIsotonic, Folds: 2, Curves: []Curve{
		{X: []float64{-math.MaxFloat64, 0, math.MaxFloat64}, Y: []float64{0, 1. / 3, 1}}, {X: []float64{0.1}, Y: []float64{0.25}}, {X: []float64{-1e-320, 1}, Y: []float64{0.5, 0.5}},
	}}
	softmax := plain(NewWeights(3, 2), "a", "b", "c")
	softmax.Proba = &Calibration{Kind: LinkSoftmax}

	return map[string]*Model{"platt": platt, "curves": curves, "softmax": softmax, "worked": worked(), "voting": voting, "three": three, "mapped": mapped, "named": named, "hashed": hashed, "one class": empty}
}

func write(t testing.TB, m *Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(text string) (*Model, error) { return ReadModel(strings.NewReader(text), "m") }

func TestModelGolden(t *testing.T) {
	path := filepath.Join("testdata", "points00.model")
	got := write(t, worked())
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the model is written as\n%s\nwant\n%s", got, want)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.Weights, worked().Weights) || !reflect.DeepEqual(m.Report, worked().Report) {
		t.Errorf("read as %+v", m)
	}
}

func TestModelRoundTrip(t *testing.T) {
	for name, m := range samples() {
		t.Run(name, func(t *testing.T) {
			text := write(t, m)
			back, err := read(text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back.Classes, m.Classes) || back.Tie != m.Tie || !reflect.DeepEqual(back.Input, m.Input) ||
				!reflect.DeepEqual(back.Report, m.Report) || !reflect.DeepEqual(back.Maps, m.Maps) {
				t.Errorf("got  %+v\nwant %+v", back, m)
			}
			if a, b := bits(back), bits(m); !slices.Equal(a, b) {
				t.Errorf("weights %v\nwant    %v", a, b)
			}
			for i := range m.Voters {
				if back.Voters[i].Votes != m.Voters[i].Votes {
					t.Errorf("voter %d has %d votes, want %d", i, back.Voters[i].Votes, m.Voters[i].Votes)
				}
			}
			if !reflect.DeepEqual(back.Proba, m.Proba) {
				t.Errorf("probabilities %+v, want %+v", back.Proba, m.Proba)
			}
			if !reflect.DeepEqual(back.State, m.State) {
				t.Errorf("state %+v, want %+v", back.State, m.State)
			}
			f, g := back.Features, m.Features
			if f.Len() != g.Len() || f.Bits() != g.Bits() || f.HasNames() != g.HasNames() {
				t.Errorf("%d features, %d bits, names %v; want %d, %d, %v", f.Len(), f.Bits(), f.HasNames(), g.Len(), g.Bits(), g.HasNames())
			}
			for j := range g.Len() {
				if f.Name(j) != g.Name(j) {
					t.Errorf("feature %d is %q, want %q", j, f.Name(j), g.Name(j))
				}
			}
			for _, n := range g.Names() { // a name is found again, one that was not given is not
				a, ok := f.Frozen().Named([]byte(n))
				b, known := g.Frozen().Named([]byte(n))
				if a != b || ok != known {
					t.Errorf("%q is feature %d %v, want %d %v", n, a, ok, b, known)
				}
			}
			if again := write(t, back); again != text {
				t.Errorf("written again as\n%s\nwant\n%s", again, text)
			}
		})
	}
}

// bits are all weights of a model, bit by bit.
func bits(m *Model) []uint64 {
	var out []uint64
	for _, w := range m.all() {
		w.Each(func(v []float64) {
			for _, x := range v {
				out = append(out, math.Float64bits(x))
			}
			out = append(out, uint64(len(v)))
		})
	}
	return out
}

// A stream may know features by name or number that no row has had yet.
func TestModelWithFewerWeights(t *testing.T) {
	m := plain(linear(1, 2), "p", "n") // two features, one weight
	m.Voters = []Voter{{1, linear(1, 2)}}
	m.State = &State{1, linear(1), linear(3, 4)}
	back, err := read(write(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Weights, linear(1, 2, 0)) || !reflect.DeepEqual(back.Voters[0].Weights, linear(1, 2, 0)) || !reflect.DeepEqual(back.State, &State{1, linear(1, 0, 0), linear(3, 4, 0)}) {
		t.Errorf("read back as %v, %v, %v", back.Weights, back.Voters[0].Weights, back.State)
	}
	if !reflect.DeepEqual(m.Weights, linear(1, 2)) {
		t.Error("writing changed the model")
	}
}

func TestModelTruncated(t *testing.T) {
	for name, m := range samples() {
		text := write(t, m)
		for n := range len(text) {
			_, err := read(text[:n])
			var place *data.InputError
			if !errors.As(err, &place) {
				t.Fatalf("%s cut to %d of %d bytes: error %v", name, n, len(text), err)
			}
		}
	}
	text := write(t, worked())
	for _, c := range []struct {
		keep int
		want string
	}{
		{0, `m:1: this is not a model file; make a model with 'halfspace fit DATA -o FILE'`},
		{len(modelMagic), `m:1: the model ends too early, found "halfspace model "; ` + damaged},
		{len(text) - 1, fmt.Sprintf(`m:%d: the model ends too early, found %q; `, strings.Count(text, "\n"), lastLine(text)[:40]+"…") + damaged},
		{len(text) - len(lastLine(text)) - 1, fmt.Sprintf(`m:%d: the model ends too early; `, strings.Count(text, "\n")) + damaged},
	} {
		if _, err := read(text[:c.keep]); err == nil || err.Error() != c.want {
			t.Errorf("%d bytes: error %v\nwant %s", c.keep, err, c.want)
		}
	}
}

// lastLine is the last line without its end.
func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// No byte of a file can change unseen: all but the last line is under the
// checksum, and the last line is compared letter by letter.
func TestModelFlipped(t *testing.T) {
	for _, name := range []string{"worked", "three", "voting"} {
		text := []byte(write(t, samples()[name]))
		for i, was := range text {
			for bit := range 8 {
				text[i] = was ^ 1<<bit
				if _, err := ReadModel(bytes.NewReader(text), "m"); err == nil {
					t.Fatalf("%s: byte %d changed from %q to %q and nobody saw it", name, i, was, text[i])
				}
			}
			text[i] = was
		}
	}
}

// sign puts the right checksum under a text.
func sign(text string) string {
	if last := lastLine(text); strings.HasPrefix(last, "sha256 ") {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), last)
	}
	return fmt.Sprintf("%ssha256 %x\n", text, sha256.Sum256([]byte(text)))
}

func TestModelRefused(t *testing.T) {
	huge := "[" + strings.Repeat("9", 400) + "]"
	for _, c := range []struct {
		model, what string
		old, new    string // a regular expression, and what stands there instead
		unsigned    bool
		want        string
		line        int // 0: not compared
	}{
		{model: "worked", what: "another file", old: `^halfspace model `, new: "halfspace nodel ", want: `this is not a model file, found "halfspace nodel "; make a model with 'halfspace fit DATA -o FILE'`, line: 1},
		{model: "worked", what: "version", old: `model 1\n`, new: "model 2\n", want: `a model of an unknown version, found "2"; this program reads version 1; use the halfspace that wrote it, or a newer one`, line: 1},
		{model: "worked", what: "trailing byte", old: `\n$`, new: "\n ", unsigned: true, want: "something follows the checksum; " + damaged, line: 53},
		{model: "worked", what: "a second model", old: `\n$`, new: "\nhalfspace model 1\n", unsigned: true, want: "something follows the checksum; " + damaged, line: 53},
		{model: "worked", what: "checksum", old: `sha256 [0-9a-f]+\n$`, new: "sha256 00\n", unsigned: true, want: `the checksum does not fit the content, found "00"; ` + damaged + "; after editing by hand, its last line must be " + lastLine(write(t, worked())), line: 52},
		{model: "worked", what: "no checksum", old: `sha256 [0-9a-f]+\n$`, new: "0.5\n", unsigned: true, want: `expected the checksum, found "0.5"; ` + damaged, line: 52},
		{model: "worked", what: "no JSON", old: `"classes": \[`, new: `"classes" [`, want: "the header cannot be read (invalid character '[' after object key); " + damaged},
		{model: "worked", what: "unknown field", old: `"classes"`, new: `"glasses": 1, "classes"`, want: `the header cannot be read (json: unknown field "glasses"); ` + damaged},
		{model: "worked", what: "two headers", old: `\n}\n`, new: "\n} {}\n}\n", want: "more than one header; " + damaged},
		{model: "worked", what: "a brace too early", old: `\n  "tie"`, new: "\n}\n  \"tie\"", want: "the header cannot be read (invalid character '}' looking for beginning of object key string); " + damaged},
		{model: "worked", what: "no classes", old: `(?s)"classes": \[.*?\],\n  "tie"`, new: `"classes": null, "tie"`, want: "the model has no classes; " + damaged},
		{model: "worked", what: "a class twice", old: `"blue"\n  \],\n  "tie"`, new: `"red"], "tie"`, want: `a class stands twice, found "red"; ` + damaged},
		{model: "worked", what: "tie", old: `"tie": "wrong",\n  "features"`, new: `"tie": "left", "features"`, want: `an unknown tie rule, found "left"; ` + damaged},
		{model: "worked", what: "negative features", old: `"features": 2,\n  "w`, new: `"features": -2, "w`, want: `an impossible number of features, found "-2"; ` + damaged},
		{model: "worked", what: "too many features", old: `"features": 2,\n  "w`, new: `"features": 2147483649, "w`, want: `an impossible number of features, found "2147483649"; ` + damaged},
		{model: "worked", what: "features beyond numbers", old: `"features": 2,\n  "w`, new: `"features": 1e99, "w`, want: "the header cannot be read (json: cannot unmarshal number 1e99 into Go struct field header.features of type int); " + damaged},
		{model: "worked", what: "negative weights", old: `"weights": 2`, new: `"weights": -1`, want: `an impossible number of weights, found "-1"; ` + damaged},
		{model: "worked", what: "weights without features", old: `"weights": 2`, new: `"weights": 3`, want: "2 features make 2 weights, not 3; " + damaged},
		{model: "worked", what: "names without maps", old: `"input"`, new: `"names": ["a"], "input"`, want: `names that do not fit the features, found "1"; ` + damaged},
		{model: "worked", what: "negative voters", old: `"input"`, new: `"voters": -1, "input"`, want: `an impossible number of voters, found "-1"; ` + damaged},
		{model: "worked", what: "voters that do not come", old: `"input"`, new: `"voters": 1, "input"`, want: `expected "voter" and a number, found "sha256`},
		{model: "worked", what: "a state that does not come", old: `"input"`, new: `"state": true, "input"`, want: `expected "state" and a number, found "sha256`},
		{model: "hashed", what: "hash", old: `"hash": 2`, new: `"hash": 3`, want: `an impossible width of the hash, found "3"; ` + damaged},
		{model: "hashed", what: "hash too wide", old: `"hash": 2`, new: `"hash": 99`, want: `an impossible width of the hash, found "99"; ` + damaged},
		{model: "mapped", what: "an unknown map", old: `"map": "dummy"`, new: `"map": "dumb"`, want: `the header cannot be read (map 1: no feature map "dumb"`},
		{model: "mapped", what: "a map for others", old: `"in": 12`, new: `"in": 11`, want: "feature maps for 11 features where there are 12; " + damaged},
		{model: "mapped", what: "a map of too many", old: `"in": 12`, new: `"in": 2147483648`, want: "the header cannot be read (map 1, dummy: no room for a dummy feature after 2147483648 features); " + damaged},
		{model: "mapped", what: "a chain that does not fit", old: `"in": 12\n    }`, new: `"in": 12}, {"map": "dummy", "in": 12}`, want: "the header cannot be read (map 2, dummy, is for 12 features and the map before it makes 13); " + damaged},
		{model: "mapped", what: "too many names", old: `"names": \[`, new: `"names": ["more",`, want: `names that do not fit the features, found "13"; ` + damaged},
		{model: "worked", what: "a mean that is no number", old: `"maps"|"report"`, new: `"maps": ` + huge + `, "report"`, want: "the header cannot be read (map 1: json: cannot unmarshal number into Go value of type map[string]json.RawMessage); " + damaged},
		{model: "worked", what: "infinite weight", old: `0\.88`, new: "+Inf", want: `a weight that is not a finite number, found "+Inf"; ` + damaged, line: 50},
		{model: "worked", what: "NaN", old: `0\.88`, new: "NaN", want: `a weight that is not a finite number, found "NaN"; ` + damaged, line: 50},
		{model: "worked", what: "overflow", old: `0\.88`, new: "1e999", want: `a weight that is not a finite number, found "1e999"; ` + damaged, line: 50},
		{model: "worked", what: "no weight", old: `0\.88 `, new: "", want: `a weight that is not a finite number, found "\"column\""; ` + damaged, line: 50},
		{model: "worked", what: "an empty line", old: `0\.88.*\n`, new: "\n", want: `a weight that is not a finite number; ` + damaged, line: 50},
		{model: "worked", what: "infinite bias", old: `bias 1`, new: "bias -Inf", want: `a weight that is not a finite number, found "-Inf"; ` + damaged, line: 49},
		{model: "worked", what: "no bias", old: `bias 1\n`, new: "", want: `expected "bias", found "0.88 \"column\""; ` + damaged, line: 49},
		{model: "worked", what: "two biases", old: `bias 1`, new: "bias 1 2", want: `more biases than classes, found "2"; ` + damaged, line: 49},
		{model: "worked", what: "a name without quotes", old: `"column"`, new: "column", want: `expected a feature's name in quotes, found "column"; ` + damaged, line: 50},
		{model: "worked", what: "an empty name", old: `"column"`, new: `""`, want: `expected a feature's name in quotes, found "\"\""; ` + damaged, line: 50},
		{model: "worked", what: "a weight too many", old: `"column"`, new: `2`, want: `expected a feature's name in quotes, found "2"; ` + damaged, line: 50},
		{model: "worked", what: "a line less", old: `0\.88.*\n`, new: "", want: `a weight that is not a finite number, found "sha256"; ` + damaged, line: 51},
		{model: "worked", what: "a line more", old: `0\.88.*\n`, new: "1\n2\n", want: `expected the checksum, found "-1.12 \"row\""; ` + damaged, line: 52},
		{model: "three", what: "too few numbers", old: `(?m)^0 0 0 `, new: "0 0 ", want: `a weight that is not a finite number, found "\"u\""; ` + damaged},
		{model: "three", what: "numbers missing", old: `(?m)^0 0 -0 "v"`, new: "0", want: `expected 3 numbers, found "0"; ` + damaged},
		{model: "voting", what: "no votes", old: `voter 3`, new: "voter 0", want: `expected "voter" and a number, found "voter 0"; ` + damaged},
		{model: "voting", what: "negative votes", old: `voter 3`, new: "voter -3", want: `expected "voter" and a number, found "voter -3"; ` + damaged},
		{model: "voting", what: "votes beyond numbers", old: `voter 3`, new: "voter 99999999999999999999", want: `expected "voter" and a number, found "voter 99999999999999999999"; ` + damaged},
		{model: "voting", what: "a named voter", old: `voter 3\nbias 1\n2`, new: "voter 3\nbias 1\n2 \"x\"", want: `expected a feature's name in quotes, found "\"x\""; ` + damaged},
		{model: "platt", what: "no such link", old: `"platt"`, new: `"plat"`, want: `an unknown kind of probabilities, found "plat"; ` + damaged},
		{model: "platt", what: "a falling sigmoid", old: `"a": -0`, new: `"a": 0`, want: `a sigmoid that is none, found "0.3333333333333333 1e-17"; ` + damaged},
		{model: "platt", what: "a sigmoid beyond numbers", old: `"b": 1e-17`, new: `"b": 1e999`, want: "the header cannot be read (json: cannot unmarshal number 1e999 into Go struct field"},
		{model: "platt", what: "a sigmoid with knots", old: `"b": 1e-17`, new: `"x": []`, want: `a sigmoid that is none, found "-0.3333333333333333 0"; ` + damaged},
		{model: "platt", what: "no curve", old: `(?s)"curves": \[.*?\]`, new: `"curves": []`, want: "0 curves of probability where there should be 1; " + damaged},
		{model: "platt", what: "negative folds", old: `"folds": 5`, new: `"folds": -5`, want: `an impossible number of folds, found "-5"; ` + damaged},
		{model: "platt", what: "softmax of two", old: `(?s)"kind": "platt".*?\]`, new: `"kind": "softmax"`, want: "softmax probabilities for 2 classes; " + damaged},
		{model: "softmax", what: "a curve too many", old: `"kind": "softmax"`, new: `"kind": "softmax", "curves": [{}]`, want: "1 curves of probability where there should be 0; " + damaged},
		{model: "softmax", what: "logistic of three", old: `"softmax"`, new: `"logistic"`, want: "logistic probabilities for 3 classes; " + damaged},
		{model: "one class", what: "logistic of one", old: `"input"`, new: `"probabilities": {"kind": "logistic"}, "input"`, want: "logistic probabilities for 1 classes; " + damaged},
		{model: "curves", what: "knots that do not pair", old: `0\.1\n`, new: "0.1, 0.2\n", want: `a curve whose knots do not pair, found "2 and 1"; ` + damaged},
		{model: "curves", what: "no knots", old: `(?s)\{\s*"x": \[\s*0\.1\s*\],\s*"y": \[\s*0\.25\s*\]\s*\}`, new: `{}`, want: `a curve whose knots do not pair, found "0 and 0"; ` + damaged},
		{model: "curves", what: "unsorted knots", old: `-1e-320`, new: "1", want: `a knot out of order or range, found "1 0.5"; ` + damaged},
		{model: "curves", what: "a falling curve", old: `0\.5,`, new: "0.75,", want: `a knot out of order or range, found "1 0.5"; ` + damaged},
		{model: "curves", what: "more than certain", old: `0\.25`, new: "1.25", want: `a knot out of order or range, found "0.1 1.25"; ` + damaged},
		{model: "three", what: "no sum", old: "sum 17", new: "sum", want: `expected "sum" and a number, found "sum"; ` + damaged},
		{model: "three", what: "another sum", old: "sum 17", new: "sum 18", want: `a sum over other visits than the state's, found "18"; ` + damaged},
		{model: "three", what: "no visits", old: `state 17`, new: "state 0", want: `expected "state" and a number, found "state 0"; ` + damaged},
	} {
		t.Run(c.what, func(t *testing.T) {
			text := write(t, samples()[c.model])
			pattern := regexp.MustCompile(c.old)
			at := pattern.FindStringIndex(text)
			if at == nil {
				t.Fatalf("%s is not in\n%s", c.old, text)
			}
			text = text[:at[0]] + c.new + text[at[1]:]
			if !c.unsigned {
				text = sign(text)
			}
			m, err := read(text)
			if m != nil || err == nil {
				t.Fatalf("accepted:\n%s", text)
			}
			got := regexp.MustCompile(`^m:(\d+): `).ReplaceAllString(err.Error(), "")
			if !strings.HasPrefix(got, c.want) || len(got) != len(c.want) && strings.HasSuffix(c.want, damaged) {
				t.Errorf("error %s\nwant  %s", got, c.want)
			}
			if c.line > 0 && !strings.HasPrefix(err.Error(), fmt.Sprintf("m:%d: ", c.line)) {
				t.Errorf("error %s, want it at line %d", err, c.line)
			}
		})
	}
}

// What is signed and says nothing wrong is accepted, so that the cases above
// are refused for their own reason, and a file may be edited by hand.
func TestModelEditedByHand(t *testing.T) {
	text := strings.Replace(write(t, worked()), "0.88", "0.5", 1)
	m, err := read(sign(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Weights.W[0][0] != 0.5 {
		t.Errorf("weight %v, want 0.5", m.Weights.W[0][0])
	}
}

// A file of a few bytes cannot make the reader allocate what it claims.
func TestModelClaims(t *testing.T) {
	report := `"input": {"format": ""}, "report": {}`
	for name, text := range map[string]string{
		"features": `{"classes": ["a", "b"], "tie": "wrong", "features": 2147483648, "weights": 2147483648, "voters": 2147483648, ` + report + "\n}\nbias 0\n1\n2\n",
		"voters":   `{"classes": ["a", "b"], "tie": "wrong", "features": 0, "weights": 0, "voters": 2147483648, ` + report + "\n}\nbias 0\nvoter 1\nbias 0\n",
		"hash":     `{"classes": ["a", "b"], "tie": "wrong", "features": 2147483648, "weights": 2147483648, "hash": 31, ` + report + "\n}\nbias 0\n",
		"maps": `{"classes": ["a", "b"], "tie": "wrong", "features": 2147483648, "weights": 1073741824, "maps": [{"map": "hash", "bits": 30, "in": 2147483648}], ` +
			report + "\n}\nbias 0\n",
		"products": `{"classes": ["a", "b"], "tie": "wrong", "features": 65534, "weights": 2147450879, "maps": [{"map": "products", "in": 65534}], ` +
			report + "\n}\nbias 0\n",
		"standardise": `{"classes": ["a", "b"], "tie": "wrong", "features": 2147483648, "weights": 2147483648, "maps": [{"map": "standardise", "in": 2147483648, "centred": true}], ` +
			report + "\n}\nbias 0\n",
	} {
		t.Run(name, func(t *testing.T) {
			text = sign(modelMagic + modelVersion + "\n" + text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := read(text)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("accepted")
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes were allocated for %d bytes of model (%v)", n, len(text), err)
			}
		})
	}
}

func TestModelNotWritable(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(m *Model)
		want  string
	}{
		{"no classes", func(m *Model) { m.Classes = nil }, "the model has no classes"},
		{"a class twice", func(m *Model) { m.Classes = []string{"a", "a"} }, `a class stands twice, found "a"`},
		{"not UTF-8", func(m *Model) { m.Classes = []string{"a", "b\xff"} }, `a name that is not UTF-8, found "b\xff"`},
		{"tie", func(m *Model) { m.Tie = "" }, "an unknown tie rule"},
		{"infinite weight", func(m *Model) { m.Weights.W[0][1] = math.Inf(1) }, "a weight is not finite; scale the features or lower the rate"},
		{"infinite state", func(m *Model) { m.State = &State{1, linear(math.NaN(), 1, 2), linear(0, 0, 0)} }, "a weight is not finite; scale the features or lower the rate"},
		{"classes", func(m *Model) { m.Classes = []string{"a", "b", "c"} }, "it has 1 vectors and 1 biases where 3 classes need 3"},
		{"features", func(m *Model) { m.Weights = linear(0, 1, 2, 3) }, "it has weights for 3 features where there are 2"},
		{"votes", func(m *Model) { m.Voters = []Voter{{0, linear(0, 1, 2)}} }, "a voter has no votes"},
		{"infinite sum", func(m *Model) { m.State = &State{1, linear(0, 1, 2), linear(math.Inf(1), 0, 0)} }, "a weight is not finite; scale the features or lower the rate"},
		{"visits", func(m *Model) { m.State = &State{0, linear(0, 1, 2), linear(0, 0, 0)} }, "its state tells of no visits"},
		{"a sigmoid that is no number", func(m *Model) { m.Proba = &Calibration{Kind: LinkPlatt, Curves: []Curve{{A: math.NaN()}}} }, `a sigmoid that is none, found "NaN 0"`},
		{"a knot that is no number", func(m *Model) {
			m.Proba = &Calibration{Kind: LinkIsotonic, Curves: []Curve{{X: []float64{0}, Y: []float64{math.NaN()}}}}
		}, `a knot out of order or range, found "0 NaN"`},
		{"an infinite knot", func(m *Model) {
			m.Proba = &Calibration{Kind: LinkIsotonic, Curves: []Curve{{X: []float64{math.Inf(-1)}, Y: []float64{0}}}}
		}, `a knot out of order or range, found "-Inf 0"`},
		{"maps", func(m *Model) { m.Maps = prep.Pipeline{&prep.Dummy{In: 3}} }, "feature maps for 3 features where there are 2"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m")
			if err := worked().Save(path); err != nil {
				t.Fatal(err)
			}
			m := worked()
			c.spoil(m)
			if err := m.Save(path); err == nil || err.Error() != "the model cannot be written: "+c.want {
				t.Errorf("error %v\nwant the model cannot be written: %s", err, c.want)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("%d files, error %v; want the old one only", len(entries), err)
			}
			if old, err := Load(path); err != nil || !reflect.DeepEqual(old.Weights, worked().Weights) {
				t.Errorf("the old model is gone: %v", err)
			}
		})
	}
}

// full is a disk that takes n bytes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return 0, errors.New("disk full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestModelDiskFull(t *testing.T) {
	text := write(t, worked())
	for n := range len(text) {
		if err := worked().Write(&full{n}); err == nil || err.Error() != "disk full" {
			t.Fatalf("with room for %d of %d bytes: error %v", n, len(text), err)
		}
	}
	if err := worked().Write(&full{len(text)}); err != nil {
		t.Errorf("with room for all: %v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none")
	for path, want := range map[string]string{
		missing: missing + ": no such model file; make one with 'halfspace fit DATA -o " + missing + "'",
		dir:     dir + ": this is a directory; name a model file in it",
	} {
		if _, err := Load(path); err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
	if _, err := Load(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not say that there is no file", err)
	}
}

// stuck is a disk that fails while it is read.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, errors.New("bad sector") }

func TestModelReadFails(t *testing.T) {
	text := write(t, worked())
	_, err := ReadModel(io.MultiReader(strings.NewReader(text[:200]), stuck{}), "m")
	if err == nil || !strings.HasSuffix(err.Error(), ": cannot be read: bad sector; check the file and the disk") {
		t.Errorf("error %v", err)
	}
}

// FuzzReadModel: no text makes the reader panic, and what it accepts can be
// used and written, and is then read the same. Half of the texts get the right
// checksum, else nothing would come past it.
func FuzzReadModel(f *testing.F) {
	for _, m := range samples() {
		text := write(f, m)
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Add([]byte(modelMagic+"2\n"), false)
	for _, maps := range []string{
		`[{"map": "standardise", "in": 2, "centred": true, "mean": [1, 2], "scale": [1, 2]}]`,
		`[{"map": "products", "in": 2}, {"map": "hash", "bits": 1, "in": 5}]`,
		`[{"map": "rows", "in": 2, "width": 1}, {"map": "hash", "bits": 1, "in": 4}]`,
	} {
		f.Add([]byte(modelMagic+modelVersion+"\n"+`{"classes": ["a", "b", "c"], "tie": "right", "features": 2, "weights": 2, "maps": `+maps+
			`, "input": {"format": "csv"}, "report": {"learner": "unknown"}`+"\n}\nbias 1 2 3\n1 2 3\n4 5 6\n"), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, signed bool) {
		text := string(raw)
		if signed {
			text = sign(text)
		}
		m, err := read(text)
		if err != nil {
			var place *data.InputError
			if m != nil || !errors.As(err, &place) {
				t.Fatalf("model %v, error %v", m, err)
			}
			return
		}
		s := m.Scorer()
		for _, x := range []vec.Row{{}, vec.Dense(1, -2, 3e300), {Idx: []uint32{0, 7, math.MaxUint32}}} {
			class, scores := s.Classify(x)
			if class < 0 || class >= len(m.Classes) {
				t.Fatalf("class %d of %d", class, len(m.Classes))
			}
			sum := 1.0
			if m.Proba != nil {
				sum = sumOf(t, s.Proba(scores))
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("probabilities add up to %v", sum)
			}
		}
		once := write(t, m)
		back, err := read(once)
		if err != nil {
			t.Fatalf("%v, after writing it as\n%s", err, once)
		}
		if again := write(t, back); again != once {
			t.Fatalf("written as\n%s\nand then as\n%s", once, again)
		}
	})
}
