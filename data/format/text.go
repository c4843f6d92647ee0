package format

import (
	"bytes"
	"iter"
)

// Helpers that all formats made of lines share.

// sampleLines are the lines of head that hold examples: not blank, no comment,
// and not the last one if the head was cut in it. Of a first line longer than
// the head, the whole tokens are sampled.
func sampleLines(head []byte) iter.Seq[[]byte] {
	cut := len(head) == headSize
	if cut && bytes.IndexByte(head, '\n') < 0 {
		head, cut = head[:max(0, bytes.LastIndexAny(head, " \t,;"))], false
	}
	return func(yield func([]byte) bool) {
		for len(head) > 0 {
			line, rest, whole := bytes.Cut(head, []byte("\n"))
			if !whole && cut {
				return
			}
			head = rest
			line = bytes.TrimSpace(line)
			if len(line) == 0 || line[0] == '#' {
				continue
			}
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
