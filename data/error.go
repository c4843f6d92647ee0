package data

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// InputError is something wrong with a file, at a place, with the mend.
type InputError struct {
	File      string
	Line, Col int    // from 1; 0: not known
	What      string // what is wrong
	Found     string // what stood there; empty: nothing to show
	Do        string // what to do
	Err       error  // the cause, if another error is
}

func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.What)
	if e.Found != "" {
		fmt.Fprintf(&b, ", found %q", clip(e.Found, 40))
	}
	if e.Do != "" {
		b.WriteString("; ")
		b.WriteString(e.Do)
	}
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// clip is s, or its first n bytes or so with an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
