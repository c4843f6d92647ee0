package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
)

// writeTable writes a header of feature names, then every example with its
// zeros. A column "weight" follows the features if the set has weights (read
// it with --weight weight), and a column "class" is last; it is empty where an
// example has no label. If a feature has that name already, the column takes
// the next one of label, target (or weights).
func writeTable(w io.Writer, s *data.Set, delim byte) error {
	if err := fitsDense(s); err != nil {
		return err
	}
	classes := make([][]byte, len(s.Classes()))
	for c, name := range s.Classes() {
		if missingCell([]byte(name)) {
			return fmt.Errorf("the class %q would be read as a missing label; rename classes with --relabel", name)
		}
		var err error
		if classes[c], err = quote(name, delim); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := writeHeader(out, s, delim); err != nil {
		return err
	}
	var buf []byte
	for i := range s.Len() {
		buf = appendDense(buf[:0], s.Row(i), s.Dim(), delim)
		if s.Weighted() {
			buf = append(appendNumber(buf, s.Weight(i)), delim)
		}
		if c := s.Class(i); c != data.None {
			buf = append(buf, classes[c]...)
		}
		if _, err := out.Write(append(buf, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeHeader(out *bufio.Writer, s *data.Set, delim byte) error {
	seen := make(map[string]bool, s.Dim())
	for j := range s.Dim() {
		name := s.Features().Name(j)
		if seen[name] {
			return fmt.Errorf("two features are called %q, and a header cannot have both; write libsvm", name)
		}
		seen[name] = true
		cell, err := quote(name, delim)
		if err != nil {
			return err
		}
		out.Write(cell)
		out.WriteByte(delim)
	}
	if s.Weighted() {
		name, err := unused(seen, "weight", "weights")
		if err != nil {
			return err
		}
		out.WriteString(name)
		out.WriteByte(delim)
	}
	name, err := unused(seen, "class", "label", "target")
	if err != nil {
		return err
	}
	out.WriteString(name)
	return out.WriteByte('\n')
}

func unused(seen map[string]bool, names ...string) (string, error) {
	if i := slices.IndexFunc(names, func(n string) bool { return !seen[n] }); i >= 0 {
		return names[i], nil
	}
	return "", fmt.Errorf("features are called %q, which leaves no name for another column; write libsvm", names)
}

// quote is s as a cell.
func quote(s string, delim byte) ([]byte, error) {
	cell := []byte(s)
	if bytes.ContainsAny(cell, "\r\x00"+byteOrderMark) || !utf8.Valid(cell) {
		return nil, fmt.Errorf("the name %q has a character that a table cannot hold; rename it", s)
	}
	if len(cell) == 0 {
		return cell, nil
	}
	first, last := cell[0], cell[len(cell)-1]
	plain := !bytes.ContainsAny(cell, "\"\n\t,;") && bytes.IndexByte(cell, delim) < 0 &&
		first != ' ' && last != ' ' && first != '#' // a line that starts so is a comment
	if plain {
		return cell, nil
	}
	return append(append([]byte{'"'}, bytes.ReplaceAll(cell, []byte{'"'}, []byte(`""`))...), '"'), nil
}
