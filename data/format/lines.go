package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Labelled lines: "three: -1 1 1 …", the label, a colon, and as many numbers
// in every line as in the first. Where no label is needed, a line may be
// numbers only.
var linesFormat = Format{
	Name:      "lines",
	Doc:       "label: value value …, the same number of values in every line",
	Recognise: recogniseLines,
	Open: func(src *Source, spec *Spec) (Reader, error) {
		r := &lines{src: src, spec: spec}
		if spec.Known != nil {
			r.width = spec.Known.Width
		}
		return r, nil
	},
	Write: writeLines,
}

func recogniseLines(head []byte) bool {
	some := false
	for line := range sampleLines(head) {
		if !looksLabelled(line) {
			return false
		}
		some = true
	}
	return some
}

// looksLabelled reports whether a line is a label with a colon, then numbers.
// "name:1 2" passes too, "7:1 2" does not: that is LIBSVM with a slip.
func looksLabelled(line []byte) bool {
	label, rest, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(bytes.TrimSpace(label)) == 0 || bytes.ContainsAny(label, "\t,;\"") || len(rest) == 0 {
		return false
	}
	values := bytes.Fields(rest)
	if glued := rest[0] != ' ' && rest[0] != '\t'; glued && (len(values) < 2 || looksNumeric(label) || bytes.ContainsAny(label, " ")) {
		return false
	}
	for _, v := range values {
		if !looksNumeric(v) {
			return false
		}
	}
	return len(values) > 0
}

type lines struct {
	src   *Source
	spec  *Spec
	buf   vec.Buffer
	width int // values a line; 0: the first line will tell
	from  int // the line that told; 0: the model did
}

func (r *lines) Read(ex *Example) error {
	for {
		line, err := r.src.Line()
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, " \t")
		if pos := skipBlanks(line, 0); pos < len(line) && line[pos] != '#' {
			return r.parse(line, pos, ex)
		}
	}
}

func (r *lines) parse(line []byte, pos int, ex *Example) error {
	*ex = Example{Weight: 1, Line: r.src.LineNumber()}
	label, pos, err := r.label(line, pos)
	if err != nil {
		return err
	}
	n, err := r.values(line, pos)
	if err != nil {
		return err
	}
	if n == 0 {
		return r.fail(len(line), "no values after the label", string(line), "write label: value value …")
	}
	if r.width == 0 {
		r.width, r.from = n, ex.Line
	}
	if n < r.width {
		return r.src.ragged(len(line)+1, n, r.from, r.width)
	}
	r.spec.Found.Width = n
	ex.X, ex.Label = r.buf.Row(), label
	return nil
}

// label is the label of a line, nil if it has none and needs none, and where
// the values start.
func (r *lines) label(line []byte, pos int) ([]byte, int, error) {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		end := tokenEnd(line, pos)
		first := line[pos:end]
		do := "write label: value value …"
		if looksNumeric(first) {
			if !r.spec.needsLabels() {
				return nil, pos, nil
			}
			do += ", " + sayNone
		}
		return nil, 0, r.fail(end, "no colon after the label", string(first), do)
	}
	values := skipBlanks(line, colon+1)
	label := bytes.TrimRight(line[pos:colon], " \t")
	if len(label) == 0 {
		if !r.spec.needsLabels() {
			return nil, values, nil
		}
		return nil, 0, r.fail(pos, "the label is empty", "", giveLabel)
	}
	if i := bytes.IndexByte(label, '\r'); i >= 0 {
		return nil, 0, r.fail(pos+i, "a carriage return in the label", string(label), "end lines with LF or CR LF")
	}
	return label, values, nil
}

// values reads the numbers from pos on into the buffer and counts them.
func (r *lines) values(line []byte, pos int) (n int, err error) {
	r.buf.Reset()
	for ; pos < len(line); n++ {
		if n == r.width && n > 0 {
			return n, r.src.ragged(pos+1, n+len(bytes.Fields(line[pos:])), r.from, r.width)
		}
		end := tokenEnd(line, pos)
		value, err := r.src.value(line[pos:end])
		if err != nil {
			return n, r.fail(pos, "the value is "+err.Error(), string(line[pos:end]), "write finite decimal numbers with blanks between them")
		}
		if j, ok := r.spec.Features.Numbered(uint32(n)); ok {
			r.buf.Add(j, value)
		}
		pos = skipBlanks(line, end)
	}
	return n, nil
}

func (r *lines) fail(pos int, what, found, do string) error {
	return r.src.fail(r.src.LineNumber(), pos+1, what, found, do)
}

func writeLines(w io.Writer, s *data.Set) error {
	if err := fitsLines(s); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var buf []byte
	for i := range s.Len() {
		buf = buf[:0]
		if c := s.Class(i); c != data.None {
			buf = append(append(buf, s.Classes()[c]...), ": "...)
		}
		buf = appendDense(buf, s.Row(i), s.Dim(), ' ')
		buf[len(buf)-1] = '\n'
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	return out.Flush()
}

// fitsLines returns why a set cannot be written as labelled lines, or nil.
func fitsLines(s *data.Set) error {
	switch {
	case s.Dim() == 0:
		return errors.New("labelled lines need at least one feature, and this set has none; write libsvm")
	case s.Weighted():
		return errors.New("labelled lines have no place for the weights of examples; write json or csv")
	}
	for _, name := range s.Classes() {
		if strings.ContainsAny(name, ":\n\r\x00") || strings.HasPrefix(name, "#") || strings.HasPrefix(name, byteOrderMark) || strings.Trim(name, " \t") != name || name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("%q cannot be the label of a line: no colon, line end, blank at an end or # in front may be in it; rename classes with --relabel, or write json", name)
		}
	}
	return fitsDense(s)
}
