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
// for each class when there are more than two) and its name. A model that
// votes goes on with "voter N" and the same lines for each voter; one that can
// go on learning from other weights than its answer ends with "state N" and
// those. The last line is the checksum of all before it. Numbers are the shortest that read
// back to the same bits.

const (
	modelMagic   = "halfspace model "
	modelVersion = "1"
)

// header is the JSON part of a model file.
type header struct {
	Classes  []string      `json:"classes"`
	Tie      Tie           `json:"tie"`
	Features int           `json:"features"`        // before the maps
	Weights  int           `json:"weights"`         // features after the maps: the number of lines
	Hash     int           `json:"hash,omitempty"`  // bits
	Names    []string      `json:"names,omitempty"` // before the maps, when there are maps
	Voters   int           `json:"voters,omitempty"`
	State    bool          `json:"state,omitempty"`
	Input    data.Input    `json:"input"`
	Maps     prep.Pipeline `json:"maps,omitempty"`
	Report   Report        `json:"report"`
}

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return m.Write(w) })
}

// Write writes the model as text.
func (m *Model) Write(w io.Writer) error {
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	h := header{
		Classes: m.Classes, Tie: m.Tie, Features: m.Features.Len(), Weights: m.Weights.Dim(), Hash: m.Features.Bits(),
		Voters: len(m.Voters), State: m.State != nil, Input: m.Input, Maps: m.Maps, Report: m.Report,
	}
	if len(m.Maps) > 0 {
		h.Names = m.Features.Names()
	}
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s%s\n%s\n", modelMagic, modelVersion, text)
	names := m.MappedFeatures()
	writeWeights(out, m.Weights, func(j int) string {
		if names.HasNames() {
			return names.Name(j)
		}
		return ""
	})
	for _, v := range m.Voters {
		writePart(out, "voter", v.Votes, v.Weights)
	}
	if m.State != nil {
		writePart(out, "state", m.State.Visits, m.State.Weights)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "sha256 %x\n", sum.Sum(nil))
	return err
}

func writePart(out *bufio.Writer, word string, n int, w *Weights) {
	fmt.Fprintf(out, "%s %d\n", word, n)
	writeWeights(out, w, func(int) string { return "" })
}

func writeWeights(out *bufio.Writer, w *Weights, name func(j int) string) {
	var buf []byte
	buf = append(buf, "bias"...)
	for _, b := range w.Bias {
		buf = strconv.AppendFloat(append(buf, ' '), b, 'g', -1, 64)
	}
	out.Write(append(buf, '\n'))
	for j := range w.Dim() {
		buf = buf[:0]
		for k := range w.W {
			if k > 0 {
				buf = append(buf, ' ')
			}
			buf = strconv.AppendFloat(buf, w.W[k][j], 'g', -1, 64)
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

// ReadModel reads a model; name is for messages. Anything that is not exactly
// what Write writes is refused.
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
	m := &Model{Classes: h.Classes, Tie: h.Tie, Input: h.Input, Maps: h.Maps, Report: h.Report}
	if m.Weights, err = p.weights(h, &names); err != nil {
		return nil, err
	}
	if len(h.Maps) > 0 {
		names = h.Names
	}
	m.Features = data.RestoreFeatures(names, h.Features, h.Hash)
	if got := m.MappedFeatures().Len(); got != h.Weights {
		return nil, p.fail(fmt.Sprintf("%d features make %d weights, not %d", h.Features, got, h.Weights), "", damaged)
	}
	for range h.Voters {
		n, w, err := p.part("voter", h)
		if err != nil {
			return nil, err
		}
		m.Voters = append(m.Voters, Voter{Votes: n, Weights: w})
	}
	if h.State {
		n, w, err := p.part("state", h)
		if err != nil {
			return nil, err
		}
		m.State = &State{Visits: n, Weights: w}
	}
	return m, p.last()
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

// header reads the JSON, which ends with a line that is just a brace.
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
	return h, p.check(h)
}

func (p *modelReader) check(h *header) error {
	sorted := slices.Clone(h.Classes)
	slices.Sort(sorted)
	switch {
	case len(h.Classes) == 0:
		return p.fail("the model has no classes", "", damaged)
	case len(slices.Compact(sorted)) != len(h.Classes):
		return p.fail("a class stands twice", "", damaged)
	case !slices.Contains(Ties, string(h.Tie)):
		return p.fail("an unknown tie rule", string(h.Tie), damaged)
	case h.Features < 0 || h.Features > data.MaxFeatures || h.Weights < 0 || h.Weights > data.MaxFeatures:
		return p.fail("an impossible number of features", strconv.Itoa(h.Features), damaged)
	case h.Hash < 0 || h.Hash > 31 || h.Hash > 0 && h.Features != 1<<h.Hash:
		return p.fail("an impossible width of the hash", strconv.Itoa(h.Hash), damaged)
	case len(h.Names) > h.Features || len(h.Maps) == 0 && len(h.Names) > 0:
		return p.fail("names that do not fit the features", "", damaged)
	case h.Voters < 0:
		return p.fail("an impossible number of voters", strconv.Itoa(h.Voters), damaged)
	}
	return nil
}

// weights reads one classifier, growing as lines come; names, if wanted, are
// appended.
func (p *modelReader) weights(h *header, names *[]string) (*Weights, error) {
	w := NewWeights(len(h.Classes), 0)
	line, err := p.next()
	if err != nil {
		return nil, err
	}
	bias, ok := bytes.CutPrefix(line, []byte("bias "))
	if !ok {
		return nil, p.fail("expected \"bias\"", string(line), damaged)
	}
	rest, err := p.numbers(bias, len(w.W), func(k int, v float64) { w.Bias[k] = v })
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, p.fail("more biases than classes", string(rest), damaged)
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
