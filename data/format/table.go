package format

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Tables: one example a row, one attribute a column, with or without a header;
// cells are separated by commas, semicolons or tabs and may be quoted.
//
// A numeric column is one feature of its name. A nominal column is a feature
// "column=level" of value 1 for every level. Feature numbers are those of the
// numeric columns in the order of the table, then the levels as they appear.
// Without a header the columns that are features are called x1, x2, ….
//
// Missing cells are empty or one of ? NA N/A n/a null NULL NaN nan NAN, in
// quotes or not.
var (
	tsvFormat = Format{
		Name:      "tsv",
		Doc:       "table with tabs between the columns",
		Takes:     tableTakes,
		Recognise: func(head []byte) bool { d, ok := sniff(head, '\t', ',', ';'); return ok && d == '\t' },
		Open:      func(src *Source, spec *Spec) (Reader, error) { return openTable(src, spec, '\t', ',', ';') },
		Write:     func(w io.Writer, s *data.Set) error { return writeTable(w, s, '\t') },
	}
	csvFormat = Format{
		Name:      "csv",
		Doc:       "table with commas or semicolons between the columns",
		Takes:     tableTakes,
		Recognise: func(head []byte) bool { _, ok := sniff(head, ',', ';'); return ok },
		Open:      func(src *Source, spec *Spec) (Reader, error) { return openTable(src, spec, ',', ';', '\t') },
		Write:     func(w io.Writer, s *data.Set) error { return writeTable(w, s, ',') },
	}
)

var tableTakes = []string{"label", "header", "missing", "nominal", "drop", "weight"}

// sniff finds the delimiter of which every record of head has the same number.
// A few records that differ are let pass, so that the reader can say which.
// Of several delimiters, the one that leaves more numbers is taken.
func sniff(head []byte, delims ...byte) (delim byte, ok bool) {
	if binary(head) || len(bytes.TrimSpace(head)) == 0 {
		return 0, false
	}
	bestWhole, bestNumbers := false, -1
	for _, d := range delims {
		records, agree, numbers, first, last := 0, 0, 0, 0, 0
		for text, n := range headRecords(head, d) {
			if records == 0 {
				first = n
			}
			if n == first {
				agree++
			}
			if records < 50 {
				for c := range bytes.SplitSeq(text, []byte{d}) {
					if c = bytes.TrimSpace(c); looksNumeric(c) || d != ',' && decimalComma(c) {
						numbers++
					}
				}
			}
			last = n
			records++
		}
		pair := records == 2 && last > 0
		if first == 0 || 3*agree < 2*records && !pair {
			continue
		}
		whole := agree == records
		if !ok || whole && !bestWhole || whole == bestWhole && numbers > bestNumbers {
			delim, ok, bestWhole, bestNumbers = d, true, whole, numbers
		}
	}
	return delim, ok
}

// table reads examples from rows of cells.
type table struct {
	src      *Source
	spec     *Spec
	lex      lexer
	missing  string // what to do with missing values
	training bool

	sample  []sampled      // rows that were read to find out about the table
	replay  int            // the next of them
	named   bool           // the names come from a header
	columns []column       // by position in the file
	known   map[string]int // the model's columns by name
	looked  int            // rows that decided which columns are numeric

	label, weight int   // positions; -1: none
	numeric       []int // positions by rising feature number
	nominal       []int

	buf   vec.Buffer
	level []byte   // column=level
	ones  []uint32 // features of the levels of a row
	holes bool     // some rows wait for means
}

// column is one column of the file.
type column struct {
	name    string
	kind    string
	feature uint32  // numeric
	prefix  []byte  // nominal: name=
	mean    float64 // numeric: the value in place of a missing one
	sum     float64 // of the values present, times meanScale
	present int
}

// sampled is a row kept for a second reading.
type sampled struct {
	text []byte
	line int
}

func openTable(src *Source, spec *Spec, delims ...byte) (Reader, error) {
	t := &table{src: src, spec: spec, missing: spec.Missing, training: spec.Known == nil, label: -1, weight: -1}
	t.lex.src = src
	learn := t.learnSchema
	if !t.training {
		learn = t.knownSchema
	}
	if err := learn(delims); err != nil {
		if err == io.EOF {
			err = src.fail(0, 0, "no rows in the table", "", "give a file with at least one example")
		}
		return nil, err
	}
	t.numberFeatures()
	spec.Found.Missing = t.missing
	return t, nil
}

// numberFeatures gives numeric columns their numbers.
func (t *table) numberFeatures() {
	for p := range t.columns {
		c := &t.columns[p]
		switch c.kind {
		case data.Numeric:
			j, ok := t.spec.Features.Named([]byte(c.name))
			if !ok { // a model without this feature
				c.kind = data.Dropped
				continue
			}
			c.feature = j
			t.numeric = append(t.numeric, p)
		case data.Nominal:
			c.prefix = []byte(c.name + "=")
			t.nominal = append(t.nominal, p)
		}
	}
	slices.SortStableFunc(t.numeric, func(a, b int) int {
		return int(int64(t.columns[a].feature) - int64(t.columns[b].feature))
	})
}

func (t *table) Read(ex *Example) error {
	for {
		if err := t.next(); err != nil {
			if err == io.EOF {
				t.settleMeans()
			}
			return err
		}
		keep, err := t.example(ex)
		if err != nil || keep {
			return err
		}
	}
}

// next reads a row of the right width.
func (t *table) next() error {
	if t.replay < len(t.sample) {
		s := t.sample[t.replay]
		t.sample[t.replay].text = nil
		t.replay++
		return t.lex.split(s.text, s.line)
	}
	if err := t.lex.next(); err != nil {
		return err
	}
	return t.checkWidth(len(t.columns))
}

func (t *table) checkWidth(width int) error {
	n := len(t.lex.cells)
	if n == width {
		return nil
	}
	at := len(t.lex.text)
	if n > width {
		at = t.lex.cells[width].at
	}
	return t.lex.fail(at, fmt.Sprintf("%s where the first row has %d", count(n, "column"), width), nil,
		"give every row the same columns, and quote cells that contain the delimiter")
}

// example turns the row into an example; false if it is to be left out.
func (t *table) example(ex *Example) (bool, error) {
	*ex = Example{Weight: 1, Line: t.lex.line}
	if t.label >= 0 {
		label := t.lex.cells[t.label].text
		if !missingCell(label) {
			ex.Label = label
		} else if t.spec.needsLabels() {
			return false, t.fail(t.label, "the label is missing", "give every example a label, or remove the row")
		}
	}
	if t.weight >= 0 {
		w, err := parseWeight(bytes.Trim(t.lex.cells[t.weight].text, " \t"))
		if err != nil {
			return false, t.fail(t.weight, err.Error(), "correct it")
		}
		ex.Weight = w
	}
	t.buf.Reset()
	for _, p := range t.numeric {
		if keep, err := t.addNumber(p); !keep {
			return false, err
		}
	}
	t.ones = t.ones[:0]
	for _, p := range t.nominal {
		if keep, err := t.addLevel(p); !keep {
			return false, err
		}
	}
	slices.Sort(t.ones)
	for _, j := range t.ones {
		t.buf.Add(j, 1)
	}
	ex.X = t.buf.Row()
	return true, nil
}

func (t *table) addNumber(p int) (keep bool, err error) {
	c := &t.columns[p]
	text := t.lex.cells[p].text
	v, err := t.src.value(text)
	if err != nil {
		if missingCell(text) {
			return t.addMissing(p)
		}
		if v, err = t.src.value(bytes.Trim(text, " \t")); err != nil { // blanks in the quotes
			return false, t.notNumber(p, err)
		}
	}
	if t.missing == "mean" && t.training {
		c.sum += v * meanScale
		c.present++
	}
	t.buf.Add(c.feature, v)
	return true, nil
}

func (t *table) addLevel(p int) (keep bool, err error) {
	text := t.lex.cells[p].text
	if missingCell(text) {
		return t.addMissing(p)
	}
	t.level = append(append(t.level[:0], t.columns[p].prefix...), text...)
	if j, ok := t.spec.Features.Named(t.level); ok {
		t.ones = append(t.ones, j)
	}
	return true, nil
}

func (t *table) notNumber(p int, why error) error {
	switch {
	case why != errNotNumber:
		return t.fail(p, "the value of "+t.called(p)+" is "+why.Error(), "write a finite decimal number")
	case !t.training:
		return t.fail(p, t.called(p)+" is numeric in the model's data", "write a number; if this row is a header, use --header yes")
	}
	return t.fail(p, fmt.Sprintf("%s looked numeric in the first %d rows", t.called(p), t.looked),
		"correct the value, or use --nominal "+t.reference(p))
}

// called is column p in messages.
func (t *table) called(p int) string {
	if t.named {
		return fmt.Sprintf("column %q", t.columns[p].name)
	}
	return fmt.Sprintf("column %d", p+1)
}

// reference is column p as an argument of a flag.
func (t *table) reference(p int) string {
	if !t.named {
		return fmt.Sprint(p + 1)
	}
	name := t.columns[p].name
	if bytes.ContainsAny([]byte(name), " ,;'\"$&()<>|*?!\\\t\n") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// fail is an error at the cell of column p of the row.
func (t *table) fail(p int, what, do string) error {
	c := t.lex.cells[p]
	return t.lex.fail(c.at, what, c.text, do)
}

// number reads a cell that may have blanks in its quotes.
func number(s []byte) (float64, error) { return parseNumber(bytes.Trim(s, " \t")) }
