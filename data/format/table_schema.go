package format

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
)

// What the columns of a table are, found out from its first rows.
//
//   - The first row is a header if it has no number while some column below it
//     has only numbers, or if a column is asked for by a name it holds, or is
//     named like a label and has that name only once.
//   - A column is numeric if every value present is a number. One with no value
//     in the sample is taken for numeric too: if that is wrong, the first name
//     in it is an error, while numbers read as names would go unnoticed. So
//     would a typing error in a column of numbers: a column in which only one
//     value in twenty or fewer is no number is refused unless --nominal says.
//   - The label is the column that is named like one, else the last or the
//     first that looks like a class: not numbers, or at most 100 different
//     whole ones.

const (
	sampleRows  = 1000
	sampleBytes = 8 << 20
	mostClasses = 100
)

// labelNames are the headers of label columns. A column y may also be a
// coordinate, so it must look like a class and none of these be there.
var labelNames = []string{"class", "classes", "label", "labels", "target", "category"}

func isLabelName(name string) bool { return slices.Contains(labelNames, strings.ToLower(name)) }

func (t *table) learnSchema(delims []byte) error {
	t.lex.delim = t.delimiter(delims)
	if err := t.takeSample(); err != nil {
		return err
	}
	header, err := t.hasHeader()
	if err != nil {
		return err
	}
	width := len(t.lex.cells)
	t.columns = make([]column, width)
	if header {
		if err := t.readHeader(); err != nil {
			return err
		}
		t.replay = 1
	}
	if len(t.sample) == t.replay {
		return t.lex.fail(0, "no rows after the header", nil, "give a file with at least one example")
	}
	t.looked = len(t.sample) - t.replay
	if err := t.assignRoles(); err != nil {
		return err
	}
	if err := t.assignKinds(); err != nil {
		return err
	}
	if !header {
		if err := t.nameColumns(); err != nil {
			return err
		}
	}
	if err := t.checkNames(); err != nil {
		return err
	}
	found := make([]data.Column, width)
	for p, c := range t.columns {
		found[p] = data.Column{Name: c.name, Kind: c.kind}
	}
	t.spec.Found.Columns, t.spec.Found.Named = found, header
	return nil
}

// delimiter is that of the head; where it does not tell, the first.
func (t *table) delimiter(delims []byte) byte {
	own := delims[:1]
	if delims[0] == ',' {
		own = delims[:2]
	}
	head := t.src.Head()
	if d, ok := sniff(head, own...); ok {
		return d
	}
	return mostOf(own, []byte(firstLine(head)))
}

// mostOf is the delimiter that line has most of.
func mostOf(delims, line []byte) byte {
	return slices.MaxFunc(delims, func(a, b byte) int {
		return bytes.Count(line, []byte{a}) - bytes.Count(line, []byte{b})
	})
}

// takeSample keeps the first rows.
func (t *table) takeSample() error {
	size := 0
	for len(t.sample) < sampleRows && size < sampleBytes {
		err := t.lex.next()
		if err == io.EOF && len(t.sample) > 0 {
			break
		}
		if err != nil {
			return err
		}
		if len(t.sample) > 0 {
			if err := t.checkWidth(len(t.columns)); err != nil {
				return err
			}
		} else {
			t.columns = make([]column, len(t.lex.cells))
		}
		t.keep()
		size += len(t.lex.text)
	}
	return t.at(0)
}

func (t *table) keep() {
	t.sample = append(t.sample, sampled{bytes.Clone(t.lex.text), t.lex.line})
}

// at goes to row i of the sample.
func (t *table) at(i int) error { return t.lex.split(t.sample[i].text, t.sample[i].line) }

// hasHeader reports whether the first row is a header; the row is current
// before and after.
func (t *table) hasHeader() (bool, error) {
	if t.spec.Header != "" {
		return t.spec.Header == "yes", nil
	}
	asked := slices.Concat([]string{t.spec.Label, t.spec.Weight}, t.spec.Nominal, t.spec.Drop)
	for _, c := range t.lex.cells {
		if len(c.text) > 0 && !looksNumeric(c.text) && slices.Contains(asked, string(c.text)) {
			return true, nil
		}
	}
	for _, c := range t.lex.cells {
		if looksNumeric(bytes.Trim(c.text, " \t")) || len(c.text) > 0 && missingCell(c.text) {
			return false, nil
		}
	}
	for p, c := range t.lex.cells {
		if isLabelName(string(c.text)) {
			again, err := t.recurs(p, string(c.text))
			return !again, err
		}
	}
	below, err := t.look(1)
	if err != nil {
		return false, err
	}
	numeric := slices.ContainsFunc(below, func(l look) bool { return l.numbers > 0 && l.words+l.odd == 0 })
	return numeric, t.at(0)
}

// recurs reports whether column p has the text of its first row again; that row
// is current before and after.
func (t *table) recurs(p int, text string) (bool, error) {
	for i := 1; i < len(t.sample); i++ {
		if err := t.at(i); err != nil {
			return false, err
		}
		if string(t.lex.cells[p].text) == text {
			return true, t.at(0)
		}
	}
	return false, t.at(0)
}

// readHeader takes the names of the columns from the current row.
func (t *table) readHeader() error {
	t.named = true
	seen := map[string]int{}
	for p, c := range t.lex.cells {
		name := string(c.text)
		if strings.Trim(name, " \t") == "" {
			name = "x" + strconv.Itoa(p+1)
		}
		if first, twice := seen[name]; twice {
			return t.fail(p, fmt.Sprintf("columns %d and %d have the same name %q", first+1, p+1, name),
				"rename one of them; if this row is no header, use --header no")
		}
		seen[name] = p
		t.columns[p].name = name
	}
	if t.spec.Names != "" && t.training {
		return t.lex.fail(0, "the table has a header, and a file of names is given too", nil, "leave out --names, or remove the header")
	}
	return nil
}

// assignRoles finds the columns that are no features.
func (t *table) assignRoles() error {
	for _, ref := range t.spec.Drop {
		if err := t.assign(ref, data.Dropped, nil); err != nil {
			return err
		}
	}
	if t.spec.Weight != "" {
		if err := t.assign(t.spec.Weight, data.Weight, &t.weight); err != nil {
			return err
		}
	}
	switch t.spec.Label {
	case "none":
		return nil
	case "":
		p, err := t.guessLabel()
		if err != nil {
			return err
		}
		t.label, t.columns[p].kind = p, data.Label
		return nil
	}
	return t.assign(t.spec.Label, data.Label, &t.label)
}

func (t *table) assign(ref, kind string, to *int) error {
	p, err := t.resolve(ref)
	if err != nil {
		return err
	}
	if old := t.columns[p].kind; old != "" && old != kind {
		return t.fail(p, fmt.Sprintf("%s is asked for as %s and as %s", t.called(p), old, kind), "choose one")
	}
	t.columns[p].kind = kind
	if to != nil {
		*to = p
	}
	return nil
}

// resolve is the position of the column with that name or number.
func (t *table) resolve(ref string) (int, error) {
	if t.named {
		for p, c := range t.columns {
			if c.name == ref {
				return p, nil
			}
		}
	}
	if n, err := strconv.Atoi(ref); err == nil {
		if n >= 1 && n <= len(t.columns) {
			return n - 1, nil
		}
		return 0, t.lex.fail(0, fmt.Sprintf("no column %d", n), nil, fmt.Sprintf("the table has columns 1 to %d", len(t.columns)))
	}
	if !t.named {
		return 0, t.lex.fail(0, fmt.Sprintf("no column %q: the table has no header", ref), nil, "give the column's number, or use --header yes")
	}
	return 0, t.lex.fail(0, fmt.Sprintf("no column %q", ref), nil, "the columns are "+t.list())
}

// list is the names of the first columns.
func (t *table) list() string {
	var names []string
	for p, c := range t.columns {
		if p == 12 {
			names = append(names, fmt.Sprintf("… (%d in all)", len(t.columns)))
			break
		}
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// guessLabel is the column that is the label if nobody says which.
func (t *table) guessLabel() (int, error) {
	var free, named []int
	for p, c := range t.columns {
		if c.kind != "" {
			continue
		}
		free = append(free, p)
		if t.named && isLabelName(c.name) {
			named = append(named, p)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		return 0, t.lex.fail(0, fmt.Sprintf("%s and %s may both be the label", t.called(named[0]), t.called(named[1])), nil, "say which with --label")
	}
	var candidates []int
	for _, p := range free {
		if t.named && strings.ToLower(t.columns[p].name) == "y" {
			candidates = append(candidates, p)
		}
	}
	if len(free) > 0 {
		candidates = append(candidates, free[len(free)-1], free[0])
	}
	for _, p := range candidates {
		if ok, err := t.likeClass(p); ok || err != nil {
			return p, err
		}
	}
	return 0, t.lex.fail(0, "no column looks like a class", nil, "use --label NAME or NUMBER, or --label none")
}

// likeClass reports whether the values of column p may be classes. The current
// row is the first before and after.
func (t *table) likeClass(p int) (bool, error) {
	distinct := map[string]bool{}
	like := false
	for i := t.replay; i < len(t.sample); i++ {
		if err := t.at(i); err != nil {
			return false, err
		}
		text := t.lex.cells[p].text
		if missingCell(text) {
			continue
		}
		v, err := number(text)
		if err != nil {
			like = true
			break
		}
		distinct[string(text)] = true
		if like = v == float64(int64(v)) && len(distinct) <= mostClasses; !like {
			break
		}
	}
	return like, t.at(0)
}

// nameColumns names the columns of a table without a header: features from the
// file of names or x1, x2, …, the others by what they are.
func (t *table) nameColumns() error {
	var names []string
	if t.spec.Names != "" {
		names = t.spec.Features.Names()
	}
	n := 0
	for p := range t.columns {
		c := &t.columns[p]
		switch c.kind {
		case data.Label:
			c.name = "class"
		case data.Weight:
			c.name = "weight"
		case data.Dropped:
		default:
			c.name = "x" + strconv.Itoa(n+1)
			if n < len(names) {
				c.name = names[n]
			}
			n++
		}
	}
	if names != nil && len(names) != n {
		return t.lex.fail(0, fmt.Sprintf("%d feature columns, and %d names in %s", n, len(names), t.spec.Names), nil, "give a name for every feature")
	}
	return nil
}

// checkNames looks for a column that is called like a level of another: both
// would be one feature.
func (t *table) checkNames() error {
	nominal := map[string]int{}
	for p, c := range t.columns {
		if c.kind == data.Nominal {
			nominal[c.name] = p
		}
	}
	for p, c := range t.columns {
		if c.kind != data.Nominal && c.kind != data.Numeric {
			continue
		}
		for i := range len(c.name) {
			if c.name[i] != '=' {
				continue
			}
			if q, ok := nominal[c.name[:i]]; ok {
				return t.lex.fail(0, fmt.Sprintf("%s is called like a level of %s", t.called(p), t.called(q)), nil, "rename one of them")
			}
		}
	}
	return nil
}
