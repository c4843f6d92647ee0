package format

import (
	"bytes"
	"iter"
)

// Helpers that all formats made of lines share.

// sampleLines are the lines of head that hold examples: not blank, no comment,
// trimmed.
func sampleLines(head []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range headLines(head, true) {
			if !yield(bytes.TrimSpace(line)) {
				return
			}
		}
	}
}

// headLines are the lines of head that are not blank, nor comments if there are
// such, and not the last one if the head was cut in it. If that one is all
// there is, its whole tokens are taken.
func headLines(head []byte, comments bool) iter.Seq[[]byte] {
	cut := len(head) == headSize
	return func(yield func([]byte) bool) {
		rest, some := head, false
		for len(rest) > 0 {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if cut && !whole {
				if some {
					return
				}
				line = line[:max(0, bytes.LastIndexAny(line, " \t,;"))]
			}
			rest = after
			if t := bytes.TrimSpace(line); len(t) == 0 || comments && t[0] == '#' {
				continue
			}
			some = true
			if !yield(line) {
				return
			}
		}
	}
}

// skipBlanks is the first position from pos on that is no blank.
func skipBlanks(line []byte, pos int) int {
	for pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
		pos++
	}
	return pos
}

// tokenEnd is the first position from pos on that is a blank, or the end.
func tokenEnd(line []byte, pos int) int {
	for pos < len(line) && line[pos] != ' ' && line[pos] != '\t' {
		pos++
	}
	return pos
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
