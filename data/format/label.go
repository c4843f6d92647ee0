package format

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// What labels and weights are, whatever the format.

// The mend for a missing label: of one example, and of all.
const (
	giveLabel = "give every example a label, or remove the line"
	sayNone   = "or say --label none if there are no labels"
)

// needsLabels reports whether an example without a label is a mistake.
func (s *Spec) needsLabels() bool { return s.Known == nil && s.Label != "none" && !s.Unlabelled }

// numericLabel appends the one way of writing a label that can only be a
// number: +1, 1.0 and 1e0 are all 1.
func numericLabel(dst, s []byte) ([]byte, error) {
	v, err := parseNumber(s)
	if err != nil {
		return dst, fmt.Errorf("the label is %w", err)
	}
	if plainWhole(s) { // not through a float64, which would round long numbers
		return append(dst, s...), nil
	}
	if v == 0 {
		v = 0 // not -0
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64), nil
}

// plainLabel is the same for labels that may be anything, so that files of
// different formats agree on their classes. Only whole numbers are rewritten:
// 1.10 may be a version, and 007 a code. It writes into dst if it must.
func plainLabel(dst, s []byte) []byte {
	if len(s) == 0 || s[0] > '9' || plainWhole(s) { // most labels
		return s
	}
	digits := bytes.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return s
	}
	const exact = 1 << 53
	v, err := parseNumber(s)
	if err != nil || v <= -exact || v >= exact || v != float64(int64(v)) {
		return s
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

// plainWhole reports whether s is a whole number in its shortest form.
func plainWhole(s []byte) bool {
	digits := bytes.TrimPrefix(s, []byte("-"))
	return allDigits(digits) && (digits[0] != '0' || len(s) == 1)
}

var errWeight = errors.New("the weight is not a finite number of at least 0")

// parseWeight reads the weight of an example.
func parseWeight(s []byte) (float64, error) {
	v, err := parseNumber(s)
	if err != nil || v < 0 {
		return 0, errWeight
	}
	return v, nil
}
