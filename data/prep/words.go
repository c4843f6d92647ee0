package prep

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Words is the bag of words: from a text to how often each word is in it.
//
// A word is a run of letters, digits and apostrophes, without apostrophes at
// its ends, of at least two characters, in lower case. The typographic
// apostrophe ’ counts as '. Everything else separates words, also bytes that
// are not UTF-8, for raw e-mail is in any encoding.
//
// The zero Words counts. One Words is for one goroutine: it keeps memory from
// text to text.
type Words struct {
	Binary bool // 1 for a word that is there, however often

	word  []byte
	found []uint32
}

// Add appends the words of text to dst. Words that features refuses, being
// frozen, are left out.
func (w *Words) Add(dst *vec.Buffer, text []byte, features *data.Features) {
	w.found = w.found[:0]
	for len(text) > 0 {
		text = w.next(text)
		if utf8.RuneCount(w.word) < 2 {
			continue
		}
		if j, ok := features.Named(w.word); ok {
			w.found = append(w.found, j)
		}
	}
	slices.Sort(w.found) // sorting plain numbers is cheaper than leaving it to dst
	for k := 0; k < len(w.found); {
		j, first := w.found[k], k
		for k++; k < len(w.found) && w.found[k] == j; k++ {
		}
		if w.Binary {
			dst.Add(j, 1)
		} else {
			dst.Add(j, float64(k-first))
		}
	}
}

// next reads one word, possibly too short to count, into w.word and returns
// the text after it.
func (w *Words) next(text []byte) (rest []byte) {
	w.word = w.word[:0]
	k := 0
	for k < len(text) {
		c := text[k]
		if c < utf8.RuneSelf {
			k++
			if c = lower[c]; c == 0 {
				break
			}
			w.add(c)
			continue
		}
		r, n := utf8.DecodeRune(text[k:])
		k += n
		if r == '’' {
			w.add('\'')
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) { // RuneError is neither
			break
		}
		w.word = utf8.AppendRune(w.word, unicode.ToLower(r))
	}
	for n := len(w.word); n > 0 && w.word[n-1] == '\''; n-- {
		w.word = w.word[:n-1]
	}
	return text[k:]
}

// add appends c unless it is an apostrophe at the start.
func (w *Words) add(c byte) {
	if c != '\'' || len(w.word) > 0 {
		w.word = append(w.word, c)
	}
}

// lower is the lower case of ASCII characters that words are made of, 0 of
// others.
var lower = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '\'':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()
