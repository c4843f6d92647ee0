// Package near finds the names somebody may have meant.
package near

import (
	"fmt"
	"slices"
	"strings"
)

// Names are those of names that differ from name by a slip or two of the
// keyboard, or that start with it; nearest first.
func Names(name string, names []string) []string {
	type hit struct {
		name     string
		distance int
	}
	var hits []hit
	name = strings.ToLower(name)
	for _, n := range names {
		d := distance(name, strings.ToLower(n))
		if len(name) > 1 && strings.HasPrefix(strings.ToLower(n), name) {
			d = min(d, 1)
		}
		if d <= 1+min(len(name), 60)/4 && d < len(n) {
			hits = append(hits, hit{n, d})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.distance - b.distance })
	var found []string
	for _, h := range hits {
		found = append(found, h.name)
	}
	return found
}

// Advice is the end of a message about an unknown name: the near names, or all
// if none is near. What says what the names are, in the plural.
func Advice(name, what string, names []string) string {
	if found := Names(name, names); len(found) > 0 {
		return fmt.Sprintf("did you mean %s?", strings.Join(found, " or "))
	}
	return fmt.Sprintf("%s are %s", what, strings.Join(names, ", "))
}

// distance is Levenshtein's: how many letters to put in, take out or replace.
// Long names are not compared; they are no slip.
func distance(a, b string) int {
	if len(a) > 60 || len(b) > 60 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
