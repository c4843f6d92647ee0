package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// LIBSVM, also SVMlight: "label index:value index:value … # comment". Indices
// start at 1; what is absent is 0. A line may have no features, and where none
// is needed no label.
var libsvmFormat = Format{
	Name:      "libsvm",
	Doc:       "label index:value …, indices from 1 (LIBSVM, SVMlight)",
	Recognise: recogniseLibsvm,
	Open: func(src *Source, spec *Spec) (Reader, error) {
		return &libsvm{src: src, features: spec.Features, labelled: spec.needsLabels()}, nil
	},
	Write: writeLibsvm,
}

func recogniseLibsvm(head []byte) bool {
	pairs := 0
	for line := range sampleLines(head) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		tokens := bytes.Fields(line)
		for k, t := range tokens {
			i := bytes.IndexByte(t, ':')
			if i < 0 && k == 0 {
				continue
			}
			if i <= 0 || i == len(t)-1 {
				return false
			}
			if _, err := strconv.Atoi(string(t[:i])); err != nil && string(t[:i]) != "qid" {
				return false
			}
			pairs++
		}
	}
	return pairs > 0
}

type libsvm struct {
	src      *Source
	features *data.Features
	labelled bool // every line must have a label
	careful  bool // no short cuts: for tests
	buf      vec.Buffer
	seen     []uint32
	label    []byte
	idx      []uint32 // of a regular line
	val      []float64
}

func (r *libsvm) Read(ex *Example) error {
	for {
		line, err := r.src.Line()
		if err != nil {
			return err
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if pos := skipBlanks(line, 0); pos < len(line) {
			return r.parse(line, pos, ex)
		}
	}
}

func (r *libsvm) parse(line []byte, pos int, ex *Example) error {
	*ex = Example{Weight: 1, Line: r.src.LineNumber()}
	r.buf.Reset()
	end := tokenEnd(line, pos)
	if first := line[pos:end]; bytes.IndexByte(first, ':') < 0 {
		label, err := numericLabel(r.label[:0], first)
		if err != nil {
			return r.fail(pos, err.Error(), first, "a LIBSVM label is a finite number")
		}
		r.label, ex.Label = label, label
		pos = skipBlanks(line, end)
	} else if r.labelled {
		return r.fail(pos, "no label before the features", first, "write label index:value …, "+sayNone)
	}
	if !r.careful && r.regular(line, pos) {
		if len(r.idx) > 0 {
			ex.X = vec.Row{Idx: r.idx, Val: r.val}
		}
		return nil
	}
	last, sorted := int64(-1), true
	r.seen = r.seen[:0]
	for pos < len(line) {
		end = tokenEnd(line, pos)
		token := line[pos:end]
		index, value, err := r.pair(token, pos)
		if err != nil {
			return err
		}
		if int64(index) == last {
			return r.repeated(pos, token)
		}
		sorted = sorted && int64(index) > last
		last = int64(index)
		r.seen = append(r.seen, index)
		if j, ok := r.features.Numbered(index); ok {
			r.buf.Add(j, value)
		}
		pos = skipBlanks(line, end)
	}
	if !sorted {
		if err := r.checkRepeats(line); err != nil {
			return err
		}
	}
	ex.X = r.buf.Row()
	return nil
}

// pair reads "index:value"; the index it returns is from 0.
func (r *libsvm) pair(token []byte, pos int) (uint32, float64, error) {
	colon := bytes.IndexByte(token, ':')
	if colon < 0 {
		return 0, 0, r.fail(pos, "expected index:value", token, "put a colon between index and value")
	}
	name := token[:colon]
	if string(name) == "qid" {
		return 0, 0, r.fail(pos, "a query number: this is ranking data", token, "remove the qid: fields to classify")
	}
	index, err := strconv.ParseUint(string(name), 10, 64)
	switch {
	case err != nil && len(name) > 0 && name[0] == '-':
		return 0, 0, r.fail(pos, "a negative index", token, "indices start at 1")
	case err == nil && index > data.MaxFeatures, err != nil && allDigits(name):
		return 0, 0, r.fail(pos, "an index beyond 2147483648", token, "renumber the features, or hash their names with --hash BITS from another format")
	case err != nil:
		return 0, 0, r.fail(pos, "the index is not a whole number", token, "write index:value with an index from 1")
	case index == 0:
		return 0, 0, r.fail(pos, "the index 0", token, "indices start at 1; add one to each")
	}
	value, err := r.src.value(token[colon+1:])
	if err != nil {
		return 0, 0, r.fail(pos+colon+1, "the value is "+err.Error(), token[colon+1:], "write a finite decimal number")
	}
	return uint32(index - 1), value, nil
}

// checkRepeats looks for an index that stands twice in an unsorted line.
func (r *libsvm) checkRepeats(line []byte) error {
	seen := make(map[uint32]bool, len(r.seen))
	for k, index := range r.seen {
		if seen[index] {
			pos, token := r.nth(line, k)
			return r.repeated(pos, token)
		}
		seen[index] = true
	}
	return nil
}

// nth is the k-th pair of a line that has been read, and where it starts.
func (r *libsvm) nth(line []byte, k int) (pos int, token []byte) {
	for pos = skipBlanks(line, 0); ; {
		token = line[pos:tokenEnd(line, pos)]
		if bytes.IndexByte(token, ':') >= 0 {
			if k == 0 {
				return pos, token
			}
			k--
		}
		pos = skipBlanks(line, pos+len(token))
	}
}

func (r *libsvm) repeated(pos int, token []byte) error {
	return r.fail(pos, "an index that this line has already", token, "give every index once a line")
}

func (r *libsvm) fail(pos int, what string, found []byte, do string) error {
	return r.src.fail(r.src.LineNumber(), pos+1, what, string(found), do)
}

func writeLibsvm(w io.Writer, s *data.Set) error {
	if s.Weighted() {
		return errors.New("LIBSVM has no place for the weights of examples; write json or csv")
	}
	out := bufio.NewWriter(w)
	var buf []byte
	for i := range s.Len() {
		buf = buf[:0]
		if c := s.Class(i); c != data.None {
			name := []byte(s.Classes()[c])
			if _, err := parseNumber(name); err != nil {
				return fmt.Errorf("LIBSVM labels are numbers, and a class here is %q; rename classes with --relabel, or write json", name)
			}
			buf = append(buf, name...)
		}
		x := s.Row(i)
		for k := range x.Len() {
			j, v := x.At(k)
			if len(buf) > 0 {
				buf = append(buf, ' ')
			}
			buf = strconv.AppendInt(buf, int64(j)+1, 10)
			buf = append(buf, ':')
			buf = appendNumber(buf, v)
		}
		if len(buf) == 0 {
			buf = append(buf, "1:0"...) // a blank line would not be an example
		}
		buf = append(buf, '\n')
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	return out.Flush()
}
