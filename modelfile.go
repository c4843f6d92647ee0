package halfspace

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/internal/atomicfile"
)

// A model file is text that a person can read:
//
//	halfspace model 1
//	{ … header as JSON … }
//	bias 1
//	0.88 "x1"
//	-1.12 "x2"
//	sha256 3b5d…
//
// After the header comes the bias, then a line a feature with its weight (one
// for each class when there are more than two, one for each two classes when
// the decision is "ovo") and its name. A model that
// votes goes on with "voter N" and the same lines for each voter; one that can
// go on learning from other weights than its answer ends with "state N" and
// those, and "sum N" and their weighted sum. The last line is the checksum of
// all before it. Numbers are the shortest that read back to the same bits.

const (
	modelMagic   = "halfspace model "
	modelVersion = "1"
)

// header is the JSON part of a model file.
type header struct {
	Classes  []string      `json:"classes"`
	Tie      Tie           `json:"tie"`
	Decision Decision      `json:"decision,omitempty"`
	Features int           `json:"features"`        // before the maps
	Weights  int           `json:"weights"`         // features after the maps: the number of lines
	Hash     int           `json:"hash,omitempty"`  // bits
	Names    []string      `json:"names,omitempty"` // before the maps, when there are maps
	Voters   int           `json:"voters,omitempty"`
	State    bool          `json:"state,omitempty"`
	Proba    *Calibration  `json:"probabilities,omitempty"`
	Input    data.Input    `json:"input"`
	Maps     prep.Pipeline `json:"maps,omitempty"`
	Report   Report        `json:"report"`
}

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return m.Write(w) })
}

// Write writes the model as text. It refuses a model that could not be read
// back.
func (m *Model) Write(w io.Writer) error {
	h := header{
		Classes: m.Classes, Tie: m.Tie, Decision: m.Decision, Features: m.Features.Len(), Weights: m.MappedFeatures().Len(), Hash: m.Features.Bits(),
		Voters: len(m.Voters), State: m.State != nil, Proba: m.Proba, Input: m.Input, Maps: m.Maps, Report: m.Report,
	}
	if len(m.Maps) > 0 {
		h.Names = m.Features.Names()
	}
	if err := m.writable(&h); err != nil {
		return fmt.Errorf("the model cannot be written: %w", err)
	}
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	fmt.Fprintf(out, "%s%s\n%s\n", modelMagic, modelVersion, text)
	writeWeights(out, m.Weights, h.Weights, m.lineName())
	for _, v := range m.Voters {
		writePart(out, "voter", v.Votes, v.Weights, h.Weights)
	}
	if m.State != nil {
		writePart(out, "state", m.State.Visits, m.State.Weights, h.Weights)
		writePart(out, "sum", m.State.Visits, m.State.Sum, h.Weights)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "sha256 %x\n", sum.Sum(nil))
	return err
}

// writable returns why the model could not be read back, or nil.
func (m *Model) writable(h *header) error {
	if what, found := h.wrong(); what != "" {
		if found != "" {
			what += ", found " + strconv.Quote(found)
		}
		return errors.New(what)
	}
	for _, w := range m.all() {
		switch n := m.Decision.Vectors(len(m.Classes)); {
		case len(w.W) != n || len(w.Bias) != n:
			return fmt.Errorf("it has %d vectors and %d biases where %d classes need %d", len(w.W), len(w.Bias), len(m.Classes), n)
		case w.Dim() > h.Weights:
			return fmt.Errorf("it has weights for %d features where there are %d", w.Dim(), h.Weights)
		case !w.Finite():
			return errors.New("a weight is not finite; scale the features or lower the rate")
		}
	}
	if slices.ContainsFunc(m.Voters, func(v Voter) bool { return v.Votes <= 0 }) {
		return errors.New("a voter has no votes")
	}
	if m.State != nil && m.State.Visits <= 0 {
		return errors.New("its state tells of no visits")
	}
	return nil
}

// lineName tells the names that stand beside the weights. Without maps they
// are those of the features, to be read back; after maps they are for people.
func (m *Model) lineName() func(j int) string {
	if len(m.Maps) > 0 {
		return m.MappedFeatures().Name
	}
	names := m.Features.Names()
	return func(j int) string {
		if j < len(names) {
			return names[j]
		}
		return ""
	}
}

func writePart(out *bufio.Writer, word string, n int, w *Weights, dim int) {
	fmt.Fprintf(out, "%s %d\n", word, n)
	writeWeights(out, w, dim, func(int) string { return "" })
}

// writeWeights writes dim lines; features that a stream knows by name but has
// not met in a row yet weigh 0.
func writeWeights(out *bufio.Writer, w *Weights, dim int, name func(j int) string) {
	var buf []byte
	buf = append(buf, "bias"...)
	for _, b := range w.Bias {
		buf = strconv.AppendFloat(append(buf, ' '), b, 'g', -1, 64)
	}
	out.Write(append(buf, '\n'))
	for j := range dim {
		buf = buf[:0]
		for k := range w.W {
			if k > 0 {
				buf = append(buf, ' ')
			}
			v := 0.0
			if j < len(w.W[k]) {
				v = w.W[k][j]
			}
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		}
		if n := name(j); n != "" {
			buf = strconv.AppendQuote(append(buf, ' '), n)
		}
		out.Write(append(buf, '\n'))
	}
}

// Load reads a model file.
func Load(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		e := &data.InputError{File: path, What: "the model cannot be opened", Do: "check the name and the permissions", Err: err}
		if errors.Is(err, fs.ErrNotExist) {
			e.What, e.Do = "no such model file", "make one with 'halfspace fit DATA -o "+path+"'"
		}
		return nil, e
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &data.InputError{File: path, What: "this is a directory", Do: "name a model file in it"}
	}
	return ReadModel(f, path)
}

// ReadModel reads a model; name is for messages. A file that is damaged or
// does not fit together is refused.
func ReadModel(r io.Reader, name string) (*Model, error) {
	p := &modelReader{in: bufio.NewReaderSize(r, 1<<16), name: name, sum: sha256.New()}
	return p.read()
}

type modelReader struct {
	in   *bufio.Reader
	name string
	line int
	sum  hash.Hash
	hold []byte
}

const damaged = "the file is damaged: restore it from a copy, or train again"

func (p *modelReader) fail(what, found, do string) error {
	return &data.InputError{File: p.name, Line: p.line, What: what, Found: found, Do: do}
}

const maxModelLine = 64 << 20

// next is the next line, counted into the checksum unless it is the last.
func (p *modelReader) next() ([]byte, error) {
	p.hold = p.hold[:0]
	p.line++
	for {
		part, err := p.in.ReadSlice('\n')
		p.hold = append(p.hold, part...)
		switch {
		case err == nil:
			if !bytes.HasPrefix(p.hold, []byte("sha256 ")) {
				p.sum.Write(p.hold)
			}
			return p.hold[:len(p.hold)-1], nil
		case err == io.EOF:
			return nil, p.fail("the model ends too early", string(p.hold), damaged)
		case err != bufio.ErrBufferFull:
			return nil, p.fail("cannot be read: "+err.Error(), "", "check the file and the disk")
		case len(p.hold) > maxModelLine:
			return nil, p.fail("the line is longer than 64 MiB", "", damaged)
		}
	}
}

func (p *modelReader) read() (*Model, error) {
	if err := p.first(); err != nil {
		return nil, err
	}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	names := []string{}
	m := &Model{Classes: h.Classes, Tie: h.Tie, Decision: h.Decision, Proba: h.Proba, Input: h.Input, Maps: h.Maps, Report: h.Report}
	if m.Weights, err = p.weights(h, &names); err != nil {
		return nil, err
	}
	if len(h.Maps) > 0 {
		names = h.Names
	}
	m.Features = data.RestoreFeatures(names, h.Features, h.Hash)
	for range h.Voters {
		n, w, err := p.part("voter", h)
		if err != nil {
			return nil, err
		}
		m.Voters = append(m.Voters, Voter{Votes: n, Weights: w})
	}
	if h.State {
		if m.State, err = p.state(h); err != nil {
			return nil, err
		}
	}
	if err := p.last(); err != nil {
		return nil, err
	}
	return m, nil
}

func (p *modelReader) state(h *header) (*State, error) {
	n, w, err := p.part("state", h)
	if err != nil {
		return nil, err
	}
	again, sum, err := p.part("sum", h)
	if err == nil && again != n {
		err = p.fail("a sum over other visits than the state's", strconv.Itoa(again), damaged)
	}
	return &State{Visits: n, Weights: w, Sum: sum}, err
}

// part reads "word N" and the weights that follow.
func (p *modelReader) part(word string, h *header) (int, *Weights, error) {
	line, err := p.next()
	if err != nil {
		return 0, nil, err
	}
	number, ok := strings.CutPrefix(string(line), word+" ")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n <= 0 {
		return 0, nil, p.fail("expected \""+word+"\" and a number", string(line), damaged)
	}
	w, err := p.weights(h, nil)
	return n, w, err
}

func (p *modelReader) first() error {
	start, _ := p.in.Peek(len(modelMagic))
	if string(start) != modelMagic {
		p.line = 1
		return p.fail("this is not a model file", string(start), "make a model with 'halfspace fit DATA -o FILE'")
	}
	line, err := p.next()
	if err != nil {
		return err
	}
	if v := string(line[len(modelMagic):]); v != modelVersion {
		return p.fail("a model of an unknown version", v, "this program reads version "+modelVersion+"; use the halfspace that wrote it, or a newer one")
	}
	return nil
}

// header reads the JSON, which ends with a line that is just a brace: inner
// braces are indented, and a line break in a string is written as \n.
func (p *modelReader) header() (*header, error) {
	var text []byte
	for {
		line, err := p.next()
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
		if string(line) == "}" {
			break
		}
	}
	h := &header{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(h); err != nil {
		return nil, p.fail("the header cannot be read ("+err.Error()+")", "", damaged)
	}
	if dec.More() {
		return nil, p.fail("more than one header", "", damaged)
	}
	if what, found := h.wrong(); what != "" {
		return nil, p.fail(what, found, damaged)
	}
	return h, nil
}

// wrong is what is wrong with a header, and where; empty if nothing is.
func (h *header) wrong() (what, found string) {
	sorted := slices.Sorted(slices.Values(h.Classes))
	twice := 0
	for twice+1 < len(sorted) && sorted[twice] != sorted[twice+1] {
		twice++
	}
	switch {
	case len(h.Classes) == 0:
		return "the model has no classes", ""
	case twice+1 < len(sorted):
		return "a class stands twice", sorted[twice]
	case !slices.Contains(Ties, string(h.Tie)):
		return "an unknown tie rule", string(h.Tie)
	case !slices.Contains(Decisions, string(h.Decision)):
		return "an unknown decision rule", string(h.Decision)
	case h.Features < 0 || h.Features > data.MaxFeatures:
		return "an impossible number of features", strconv.Itoa(h.Features)
	case h.Weights < 0 || h.Weights > data.MaxFeatures:
		return "an impossible number of weights", strconv.Itoa(h.Weights)
	case h.Hash < 0 || h.Hash > 31 || h.Hash > 0 && h.Features != 1<<h.Hash:
		return "an impossible width of the hash", strconv.Itoa(h.Hash)
	case len(h.Names) > h.Features || len(h.Maps) == 0 && len(h.Names) > 0:
		return "names that do not fit the features", strconv.Itoa(len(h.Names))
	case h.Voters < 0:
		return "an impossible number of voters", strconv.Itoa(h.Voters)
	case h.Decision != Joint && (h.Voters > 0 || h.State):
		return "voters or a state where parts decide", string(h.Decision)
	}
	if h.Proba != nil {
		if what, found = h.Proba.wrong(len(h.Classes)); what != "" {
			return what, found
		}
	}
	for _, name := range slices.Concat(h.Classes, h.Names) { // JSON would change it
		if !utf8.ValidString(name) {
			return "a name that is not UTF-8", name
		}
	}
	if in, known := h.Maps.In(); known && in != h.Features {
		return fmt.Sprintf("feature maps for %d features where there are %d", in, h.Features), ""
	}
	if n := h.Maps.Features(data.RestoreFeatures(nil, h.Features, h.Hash)).Len(); n != h.Weights {
		return fmt.Sprintf("%d features make %d weights, not %d", h.Features, n, h.Weights), ""
	}
	return "", ""
}

// weights reads one classifier, growing as lines come; names, if wanted, are
// appended.
func (p *modelReader) weights(h *header, names *[]string) (*Weights, error) {
	w := &Weights{}
	line, err := p.next()
	if err != nil {
		return nil, err
	}
	bias, ok := bytes.CutPrefix(line, []byte("bias "))
	if !ok {
		return nil, p.fail("expected \"bias\"", string(line), damaged)
	}
	rest, err := p.numbers(bias, h.Decision.Vectors(len(h.Classes)), func(_ int, v float64) { w.Bias = append(w.Bias, v) })
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, p.fail("more biases than classes", string(rest), damaged)
	}
	w.W = make([][]float64, len(w.Bias))
	for k := range w.W {
		w.W[k] = []float64{}
	}
	for j := range h.Weights {
		line, err := p.next()
		if err != nil {
			return nil, err
		}
		rest, err := p.numbers(line, len(w.W), func(k int, v float64) { w.W[k] = append(w.W[k], v) })
		if err != nil {
			return nil, err
		}
		if len(rest) == 0 {
			continue
		}
		name, err := strconv.Unquote(string(rest))
		if err != nil || name == "" || names == nil {
			return nil, p.fail("expected a feature's name in quotes", string(rest), damaged)
		}
		for len(*names) < j {
			*names = append(*names, "")
		}
		*names = append(*names, name)
	}
	return w, nil
}

// numbers reads n finite numbers off the line and returns what follows them.
func (p *modelReader) numbers(line []byte, n int, take func(k int, v float64)) ([]byte, error) {
	for k := range n {
		token, rest, more := bytes.Cut(line, []byte(" "))
		if !more && k < n-1 {
			return nil, p.fail(fmt.Sprintf("expected %d numbers", n), string(line), damaged)
		}
		v, err := strconv.ParseFloat(string(token), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, p.fail("a weight that is not a finite number", string(token), damaged)
		}
		take(k, v)
		line = rest
	}
	return line, nil
}

// last reads the checksum and the end of the file.
func (p *modelReader) last() error {
	want := hex.EncodeToString(p.sum.Sum(nil))
	line, err := p.next()
	if err != nil {
		return err
	}
	got, ok := strings.CutPrefix(string(line), "sha256 ")
	if !ok {
		return p.fail("expected the checksum", string(line), damaged)
	}
	if got != want {
		return p.fail("the checksum does not fit the content", got, damaged+"; after editing by hand, its last line must be sha256 "+want)
	}
	if _, err := p.in.ReadByte(); err != io.EOF {
		p.line++
		return p.fail("something follows the checksum", "", damaged)
	}
	return nil
}
