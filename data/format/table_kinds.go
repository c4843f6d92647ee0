package format

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
)

// Which columns of a table are numeric.

// typoShare is how many numbers a column has for each value that is none, if
// that value is more likely a mistake than a name.
const typoShare = 20

// look is what the sample shows of a column.
type look struct {
	numbers int
	words   int
	odd     int // numbers written in a way that is not read

	firstWord, firstOdd int // their rows in the sample
}

// look looks at all columns of the sample, from a row on.
func (t *table) look(from int) ([]look, error) {
	looks := make([]look, len(t.columns))
	for i := from; i < len(t.sample); i++ {
		if err := t.at(i); err != nil {
			return nil, err
		}
		for p, c := range t.lex.cells {
			l := &looks[p]
			_, err := parseNumber(c.text)
			switch {
			case err == nil:
				l.numbers++
			case missingCell(c.text):
			case looksNumeric(bytes.Trim(c.text, " \t")):
				l.numbers++
			case !errors.Is(err, errNotNumber) || oddNumber(c.text) || t.lex.delim != ',' && decimalComma(c.text):
				if l.odd == 0 {
					l.firstOdd = i
				}
				l.odd++
			default:
				if l.words == 0 {
					l.firstWord = i
				}
				l.words++
			}
		}
	}
	return looks, nil
}

// assignKinds decides which of the other columns are numeric.
func (t *table) assignKinds() error {
	for _, ref := range t.spec.Nominal {
		p, err := t.resolve(ref)
		if err != nil {
			return err
		}
		if t.columns[p].kind == "" {
			t.columns[p].kind = data.Nominal
		}
	}
	looks, err := t.look(t.replay)
	if err != nil {
		return err
	}
	for p := range t.columns {
		c, l := &t.columns[p], looks[p]
		bad := l.words + l.odd
		switch {
		case c.kind != "":
		case bad == 0:
			c.kind = data.Numeric
		case l.words == 0 || l.odd > 0 && l.numbers >= typoShare*bad:
			return t.oddValue(p, l.firstOdd)
		case l.numbers >= typoShare*bad:
			if err := t.at(l.firstWord); err != nil {
				return err
			}
			return t.fail(p, fmt.Sprintf("not a number in %s, which has %d numbers in the first %d rows", t.called(p), l.numbers, t.looked),
				"correct the value, or use --nominal "+t.reference(p))
		default:
			c.kind = data.Nominal
		}
	}
	return t.at(0)
}

func (t *table) oddValue(p, row int) error {
	if err := t.at(row); err != nil {
		return err
	}
	text := t.lex.cells[p].text
	_, err := number(text)
	what, do := err.Error(), "write a finite decimal number"
	if decimalComma(text) {
		what, do = "a number with a comma", "write a decimal point"
	}
	return t.fail(p, "the value of "+t.called(p)+" is "+what, do+", or use --nominal "+t.reference(p))
}

// oddNumber reports whether s is a number in another notation than ours.
func oddNumber(s []byte) bool {
	if len(s) == 0 || len(s) > 64 || s[0] > '9' { // a word, most often
		return false
	}
	_, err := strconv.ParseInt(string(s), 0, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return true
	}
	_, err = strconv.ParseFloat(string(s), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimalComma reports whether s is a number but for a comma.
func decimalComma(s []byte) bool {
	i := bytes.IndexByte(s, ',')
	if i < 0 || i == len(s)-1 || s[i+1] < '0' || s[i+1] > '9' || bytes.IndexByte(s[i+1:], ',') >= 0 {
		return false
	}
	return looksNumeric(append(append(bytes.Clone(s[:i]), '.'), s[i+1:]...))
}
