package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScan reads the pieces of one line of JSON. It hands out slices of the
// line, and copies only strings that have escapes.
type jsonScan struct {
	src  *Source
	line []byte
	pos  int
	text []byte // decoded strings of this line
}

// jsonField is a key of an object; start and end bound its value in the line.
type jsonField struct {
	key            []byte
	at, start, end int
}

func (s *jsonScan) reset(line []byte) { s.line, s.pos, s.text = line, 0, s.text[:0] }

// fail is an error at a position of the line, from 0.
func (s *jsonScan) fail(pos int, what string, found []byte, do string) error {
	return s.src.fail(s.src.LineNumber(), pos+1, what, string(found), do)
}

// peek skips blanks and is the byte then at hand, 0 at the end of the line.
func (s *jsonScan) peek() byte {
	s.pos = skipBlanks(s.line, s.pos)
	if s.pos == len(s.line) {
		return 0
	}
	return s.line[s.pos]
}

// open reads the brace or bracket that starts a list; more is then false if
// the list is empty, and its end has been read.
func (s *jsonScan) open(end byte) (more bool) {
	s.pos++
	if s.peek() == end {
		s.pos++
		return false
	}
	return true
}

// next reads the comma between entries of a list, or its end: more is false.
func (s *jsonScan) next(end byte) (more bool, err error) {
	switch c := s.peek(); c {
	case end:
		s.pos++
		return false, nil
	case ',':
		s.pos++
		return true, nil
	case 0:
		return false, s.cut()
	default:
		return false, s.fail(s.pos, "expected a comma or "+string(end), s.rest(), "check the JSON")
	}
}

func (s *jsonScan) cut() error {
	return s.fail(len(s.line), "the line ends within the object", nil, "write one whole object a line")
}

// rest is what stands at the position, for messages.
func (s *jsonScan) rest() []byte { return s.line[s.pos:] }

// key reads a key and its colon.
func (s *jsonScan) key() (key []byte, at int, err error) {
	switch s.peek() {
	case '"':
	case 0:
		return nil, 0, s.cut()
	default:
		return nil, 0, s.fail(s.pos, "expected a key in double quotes", s.rest(), "check the JSON")
	}
	at = s.pos
	if key, err = s.str(); err != nil {
		return nil, 0, err
	}
	switch s.peek() {
	case ':':
		s.pos++
		return key, at, nil
	case 0:
		return nil, 0, s.cut()
	}
	return nil, 0, s.fail(s.pos, "expected a colon after the key", s.rest(), "check the JSON")
}

// fields appends the fields of the object at hand, each key once. Values are
// only skipped: whoever wants one reads it, and so checks it.
func (s *jsonScan) fields(dst []jsonField) ([]jsonField, error) {
	more, err := s.open('}'), error(nil)
	for more {
		var f jsonField
		if f.key, f.at, err = s.key(); err != nil {
			return nil, err
		}
		s.peek()
		f.start = s.pos
		if err = s.skip(); err != nil {
			return nil, err
		}
		f.end = s.pos
		dst = append(dst, f)
		if more, err = s.next('}'); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// unique refuses a key that stands twice; spare is memory to sort in.
func (s *jsonScan) unique(fields []jsonField, spare *[]jsonField) error {
	sorted := append((*spare)[:0], fields...)
	*spare = sorted
	slices.SortFunc(sorted, func(a, b jsonField) int {
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for k := 1; k < len(sorted); k++ {
		if bytes.Equal(sorted[k-1].key, sorted[k].key) {
			return s.fail(sorted[k].at, "a key that this object has already", sorted[k].key, "give every key once")
		}
	}
	return nil
}

// skip reads over a value without a look inside lists.
func (s *jsonScan) skip() error {
	switch s.peek() {
	case 0:
		return s.cut()
	case '"':
		_, err := s.str()
		return err
	case '{', '[':
		return s.skipList()
	}
	_, err := s.token()
	return err
}

func (s *jsonScan) skipList() error {
	start := s.pos
	for depth := 0; s.pos < len(s.line); s.pos++ {
		switch s.line[s.pos] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				s.pos++
				return nil
			}
		case '"':
			if !s.skipString() {
				return s.cut()
			}
		}
	}
	return s.fail(start, "a list that does not end in this line", s.line[start:], "write one whole object a line")
}

// skipString goes to the closing quote of the string at hand.
func (s *jsonScan) skipString() bool {
	for s.pos++; s.pos < len(s.line); s.pos++ {
		switch s.line[s.pos] {
		case '\\':
			s.pos++
		case '"':
			return true
		}
	}
	s.pos = len(s.line)
	return false
}

// check refuses a value that nobody reads if it is not JSON.
func (s *jsonScan) check(f jsonField) error {
	if c := s.line[f.start]; (c == '{' || c == '[') && !json.Valid(s.line[f.start:f.end]) {
		return s.fail(f.start, "the value is not JSON", s.line[f.start:f.end], "check the JSON")
	}
	return nil
}

// endsToken has the characters that stand after a number or a word.
var endsToken = [256]bool{' ': true, '\t': true, ',': true, ':': true, ']': true, '}': true, '[': true, '{': true, '"': true}

// token reads a number, true, false or null.
func (s *jsonScan) token() ([]byte, error) {
	start := s.pos
	for s.pos < len(s.line) && !endsToken[s.line[s.pos]] {
		s.pos++
	}
	token := s.line[start:s.pos]
	switch {
	case string(token) == "true", string(token) == "false", string(token) == "null", isJSONNumber(token):
		return token, nil
	case len(token) == 0:
		return nil, s.fail(start, "expected a value", s.line[start:], "check the JSON")
	}
	if _, err := parseNumber(token); err == errNotFinite {
		return nil, s.fail(start, "the value is not a finite number", token, "write a finite number, or null where it is missing")
	}
	return nil, s.fail(start, "the value is not JSON", token, "write a number, true, false, null, or a string in double quotes")
}

// number is the value of a token.
func (s *jsonScan) number(pos int, token []byte) (float64, error) {
	v, err := s.src.value(token)
	if err != nil {
		return 0, s.fail(pos, "the value is "+err.Error(), token, "write a finite decimal number")
	}
	return v, nil
}

// isJSONNumber reports whether s follows JSON's grammar of numbers, which is
// narrower than parseNumber's: no plus sign in front, no leading zeros, digits
// on both sides of the point.
func isJSONNumber(s []byte) bool {
	s = bytes.TrimPrefix(s, []byte("-"))
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if len(s) > 0 && s[0] == '.' {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if len(s) > 0 && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		return allDigits(s)
	}
	return len(s) == 0
}

// digits is how many digits s starts with.
func digits(s []byte) int {
	n := 0
	for n < len(s) && s[n]-'0' < 10 {
		n++
	}
	return n
}

// str reads the string at hand.
func (s *jsonScan) str() ([]byte, error) {
	quote := s.pos
	for k := quote + 1; k < len(s.line); k++ {
		switch c := s.line[k]; {
		case c == '"':
			s.pos = k + 1
			return s.line[quote+1 : k], nil
		case c == '\\':
			return s.escaped(quote+1, k)
		case c < ' ':
			return nil, s.fail(k, "a control character in a string", s.line[k:k+1], `write it as an escape, e.g. \t`)
		}
	}
	return nil, s.fail(quote, "a string that does not end in this line", s.line[quote:], "close it with a double quote; write one whole object a line")
}

// escaped reads a string from start on whose first escape is at k.
func (s *jsonScan) escaped(start, k int) ([]byte, error) {
	from := len(s.text)
	s.text = append(s.text, s.line[start:k]...)
	for k < len(s.line) {
		c := s.line[k]
		switch {
		case c == '"':
			s.pos = k + 1
			return s.text[from:len(s.text):len(s.text)], nil
		case c < ' ':
			return nil, s.fail(k, "a control character in a string", s.line[k:k+1], `write it as an escape, e.g. \t`)
		case c != '\\':
			s.text = append(s.text, c)
			k++
			continue
		}
		r, n := unescape(s.line[k:])
		if n == 0 {
			return nil, s.fail(k, "not an escape of JSON", s.line[k:min(len(s.line), k+6)], `write a backslash as \\`)
		}
		s.text = utf8.AppendRune(s.text, r)
		k += n
	}
	return nil, s.fail(start-1, "a string that does not end in this line", s.line[start-1:], "close it with a double quote; write one whole object a line")
}

// unescape is the character that s, starting with a backslash, stands for, and
// its length there; 0: none. Half of a surrogate pair is none.
func unescape(s []byte) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), s[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(s[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 is the number in \uXXXX.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	r := rune(0)
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
