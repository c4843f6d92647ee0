package format

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
)

const (
	// denseShare: one value in so many must be stored for arrays to be written.
	// An array spends two bytes on a zero, a named feature eight on its name.
	denseShare = 8
	// maxListed bounds the features that a first object lists with their zeros.
	maxListed = 1 << 20
)

// writeJSON writes arrays if features have no names and not too many values
// are zero, else named features. Examples read back are the same, in numbers
// too: if they would be numbered otherwise, by order of appearance, the first
// object lists all features with their zeros (unless they are more than a
// million). Features without names are then called x1, x2, … What JSON lines
// do not keep is the order of classes that was set by hand.
func writeJSON(w io.Writer, s *data.Set) error {
	out := bufio.NewWriter(w)
	array := !s.Features().HasNames() && s.Features().Bits() == 0 && s.Nonzeros()*denseShare >= s.Len()*s.Dim() && s.Dim() > 0
	list := !array && s.Dim() <= maxListed && !inOrder(s)
	var buf []byte
	for i := range s.Len() {
		buf = append(buf[:0], '{')
		if c := s.Class(i); c != data.None {
			buf = append(buf, `"label":`...)
			buf = append(appendLabel(buf, s.Classes()[c]), ',')
		}
		if s.Weighted() {
			buf = append(buf, `"weight":`...)
			buf = append(appendNumber(buf, s.Weight(i)), ',')
		}
		if array {
			buf = appendDense(append(buf, `"x":[`...), s.Row(i), s.Dim(), ',')
			buf[len(buf)-1] = ']'
		} else {
			buf = appendNamed(append(buf, `"features":`...), s, i, list && i == 0)
		}
		buf = append(buf, "}\n"...)
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	return out.Flush()
}

// inOrder reports whether features first appear in the order of their numbers
// and none is missing.
func inOrder(s *data.Set) bool {
	seen := 0
	for i := range s.Len() {
		for j := range s.Row(i).All() {
			if j > seen {
				return false
			}
			seen = max(seen, j+1)
		}
	}
	return seen == s.Dim()
}

func appendNamed(buf []byte, s *data.Set, i int, all bool) []byte {
	buf = append(buf, '{')
	start, at := len(buf), 0
	one := func(j int, v float64) {
		if len(buf) > start {
			buf = append(buf, ',')
		}
		buf = append(appendString(buf, s.Features().Name(j)), ':')
		buf = appendNumber(buf, v)
		at = j + 1
	}
	for j, v := range s.Row(i).All() {
		for all && at < j {
			one(at, 0)
		}
		one(j, v)
	}
	for all && at < s.Dim() {
		one(at, 0)
	}
	return append(buf, '}')
}

// appendLabel writes whole numbers as such, everything else as a string.
func appendLabel(buf []byte, class string) []byte {
	if n, err := strconv.ParseInt(class, 10, 32); err == nil && strconv.FormatInt(n, 10) == class {
		return append(buf, class...)
	}
	return appendString(buf, class)
}

// appendString writes s in quotes; bytes that are not UTF-8 become U+FFFD.
func appendString(buf []byte, s string) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			buf = append(buf, '\\', byte(r))
		case r < ' ':
			buf = append(buf, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			buf = utf8.AppendRune(buf, r)
		}
	}
	return append(buf, '"')
}
