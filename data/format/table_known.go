package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
)

// A table for a model: its columns must be those of the model's data.
//
// With a header they are matched by name, in any order. The label and the
// weight may be absent; a column that the model's data did not have is an
// error unless it is dropped. Without a header they are matched by position,
// where only the label may be absent. The first row is a header if at least
// half of its cells are names of known columns.

func (t *table) knownSchema(delims []byte) error {
	known := t.spec.Known
	t.spec.Found.Columns, t.spec.Found.Named = known.Columns, known.Named
	if t.missing == "" {
		t.missing = known.Missing
	}
	if t.missing == "mean" && known.Missing != "mean" {
		return t.src.fail(0, 0, "the model keeps no means for missing values", "", "use --missing zero, or fit it with --missing mean")
	}
	if err := t.peekDelimiter(delims); err != nil {
		return err
	}
	if err := t.lex.next(); err != nil {
		return err
	}
	t.columns = make([]column, len(t.lex.cells))
	named := t.knownNames()
	header := t.spec.Header == "yes" || t.spec.Header == "" && 2*named >= len(t.columns)
	if !header {
		t.keep()
	}
	if header && named > 0 {
		if err := t.readHeader(); err != nil {
			return err
		}
		return t.matchNames()
	}
	return t.matchPositions()
}

// peekDelimiter chooses the delimiter that cuts the first line into as many
// columns as the model's data has, or one fewer. It reads no more than that
// line: to wait for more would stop a conversation.
func (t *table) peekDelimiter(delims []byte) error {
	for {
		line, err := t.src.Line()
		if err != nil {
			return err
		}
		if skippable(line, delims[0]) {
			continue
		}
		t.lex.pending = bytes.Clone(line)
		width := len(t.spec.Known.Columns)
		for _, fewer := range []int{0, 1} {
			for _, d := range delims {
				q := quoting{delim: d}
				q.scan(line, 0)
				if q.delims > 0 && q.delims+1 == width-fewer {
					t.lex.delim = d
					return nil
				}
			}
		}
		t.lex.delim = mostOf(delims, line)
		return nil
	}
}

// knownNames counts the cells of the row that are names of known columns.
func (t *table) knownNames() int {
	t.known = make(map[string]int, len(t.spec.Known.Columns))
	for k, c := range t.spec.Known.Columns {
		if c.Name != "" {
			t.known[c.Name] = k
		}
	}
	n := 0
	for _, c := range t.lex.cells {
		if _, ok := t.known[string(c.text)]; ok {
			n++
		}
	}
	return n
}

// become makes column p of the file the known column k.
func (t *table) become(p, k int) {
	known := t.spec.Known.Columns[k]
	c := &t.columns[p]
	c.name, c.kind, c.mean = known.Name, known.Kind, known.Mean
	switch known.Kind {
	case data.Label:
		t.label = p
	case data.Weight:
		t.weight = p
	}
}

func (t *table) matchNames() error {
	if err := t.knownRoles(); err != nil {
		return err
	}
	have := make([]bool, len(t.spec.Known.Columns))
	for p := range t.columns {
		c := &t.columns[p]
		k, ok := t.known[c.name]
		if c.kind != "" { // asked for as something else
			continue
		}
		if !ok {
			return t.fail(p, fmt.Sprintf("%s is not in the model's data", t.called(p)), "leave it out with --drop "+t.reference(p))
		}
		if kind := t.spec.Known.Columns[k].Kind; kind == data.Label && t.label >= 0 || kind == data.Weight && t.weight >= 0 ||
			kind == data.Label && t.spec.Label == "none" {
			c.kind = data.Dropped
			continue
		}
		have[k] = true
		t.become(p, k)
	}
	for k, c := range t.spec.Known.Columns {
		if !have[k] && (c.Kind == data.Numeric || c.Kind == data.Nominal) {
			return t.lex.fail(0, fmt.Sprintf("no column %q, which the model needs", c.Name), nil, "the columns are "+t.list())
		}
	}
	return nil
}

// knownRoles obeys what is said about columns of this file in particular. A
// column that is said to be what it was in the model's data need not be here.
func (t *table) knownRoles() error {
	for _, ref := range t.spec.Drop {
		if err := t.reassign(ref, data.Dropped, nil); err != nil {
			return err
		}
	}
	if err := t.reassign(t.spec.Weight, data.Weight, &t.weight); err != nil {
		return err
	}
	if t.spec.Label == "none" {
		return nil
	}
	return t.reassign(t.spec.Label, data.Label, &t.label)
}

func (t *table) reassign(ref, kind string, to *int) error {
	if k, ok := t.known[ref]; ref == "" || ok && t.spec.Known.Columns[k].Kind == kind {
		return nil
	}
	return t.assign(ref, kind, to)
}

func (t *table) matchPositions() error {
	columns := t.spec.Known.Columns
	labelled := slices.IndexFunc(columns, func(c data.Column) bool { return c.Kind == data.Label })
	order := make([]int, 0, len(columns)) // known columns in the order of the file
	for k := range columns {
		order = append(order, k)
	}
	n := len(t.columns)
	asked, err := strconv.Atoi(t.spec.Label)
	switch {
	case labelled >= 0 && n == len(order)-1:
		order = slices.Delete(order, labelled, labelled+1)
	case n != len(order):
		what := fmt.Sprintf("%s where the model's data has %d", count(n, "column"), len(columns))
		do := "give the same columns, or a header to match them by name"
		if labelled >= 0 {
			do = "give the same columns with or without the label, or a header to match them by name"
		}
		return t.lex.fail(0, what, nil, do)
	case labelled >= 0 && err == nil && asked >= 1 && asked <= n: // the label stands elsewhere
		order = slices.Insert(slices.Delete(order, labelled, labelled+1), asked-1, labelled)
	}
	for p, k := range order {
		t.become(p, k)
	}
	if t.spec.Label == "none" {
		t.label = -1
	}
	return nil
}
