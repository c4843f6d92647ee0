package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// Labelled text: "label<TAB>text", one example a line; the text becomes a bag
// of words. It may contain more tabs, and # is a character like any other. To
// predict, a line without a tab, or with nothing before it, is text without a
// label; with the label "none" every whole line is.
var textFormat = Format{
	Name:      "text",
	Doc:       "label<TAB>text, read as a bag of words",
	Takes:     []string{"header", "words"},
	Recognise: recogniseText,
	Open: func(src *Source, spec *Spec) (Reader, error) {
		return &textLines{
			src:      src,
			features: spec.Features,
			words:    wordsOf(spec),
			labelled: spec.needsLabels(),
			whole:    spec.Label == "none",
			header:   spec.Header,
		}, nil
	},
}

// wordsOf is how spec wants words: as a model knows them, else as asked for.
func wordsOf(spec *Spec) prep.Words {
	how := spec.Words
	if spec.Known != nil && spec.Known.Words != "" {
		how = spec.Known.Words
	}
	if how == "" {
		how = "counts"
	}
	spec.Found.Words = how
	return prep.Words{Binary: how == "binary"}
}

// longestLabel is how long a first field may be to be taken for a label.
const longestLabel = 64

// recogniseText wants short labels, and second fields most of which have a
// blank between words: this is what tells text from a table of single words.
// A table that has the same number of columns everywhere, some of them with
// numbers, stays a table.
func recogniseText(head []byte) bool {
	lines, phrases, numbers, tabs, ragged := 0, 0, 0, 0, false
	for line := range headLines(head, false) {
		label, text, ok := bytes.Cut(line, []byte("\t"))
		if label = bytes.TrimSpace(label); !ok || len(label) == 0 || len(label) > longestLabel {
			return false
		}
		n := bytes.Count(text, []byte("\t"))
		ragged = ragged || lines > 0 && n != tabs
		tabs = n
		lines++
		second, more, _ := bytes.Cut(text, []byte("\t"))
		if isPhrase(second) {
			phrases++
		}
		if tabs > 0 && slices.ContainsFunc(bytes.Split(more, []byte("\t")), looksNumeric) {
			numbers++
		}
	}
	table := !ragged && tabs > 0 && 2*numbers >= lines
	return 2*phrases > lines && !table
}

// isPhrase reports whether s is at least two words with a blank between them.
func isPhrase(s []byte) bool {
	words := 0
	for len(s) > 0 {
		s = s[skipBlanks(s, 0):]
		end := tokenEnd(s, 0)
		if bytes.ContainsFunc(s[:end], unicode.IsLetter) {
			words++
		}
		if s = s[end:]; words == 2 {
			return true
		}
	}
	return false
}

type textLines struct {
	src      *Source
	features *data.Features
	words    prep.Words
	buf      vec.Buffer
	labelled bool   // every line must have a label
	whole    bool   // lines have no label
	header   string // yes: the first line names the columns; no: it does not; "": see isTextHeader
	started  bool
}

func (r *textLines) Read(ex *Example) error {
	for {
		line, err := r.src.Line()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !r.started {
			r.started = true
			if r.header == "yes" || r.header == "" && isTextHeader(line) {
				continue
			}
		}
		return r.parse(line, ex)
	}
}

func (r *textLines) parse(line []byte, ex *Example) error {
	*ex = Example{Weight: 1, Line: r.src.LineNumber()}
	text := line
	if tab := bytes.IndexByte(line, '\t'); tab >= 0 && !r.whole {
		text = line[tab+1:]
		if label := bytes.TrimSpace(line[:tab]); len(label) > 0 {
			ex.Label = label
		} else if r.labelled {
			return r.src.fail(ex.Line, 1, "the label is empty", string(line), giveLabel)
		}
	} else if r.labelled {
		return r.src.fail(ex.Line, len(line)+1, "no tab after the label", string(line), "write label<TAB>text, "+sayNone)
	}
	r.buf.Reset()
	r.words.Add(&r.buf, text, r.features)
	ex.X = r.buf.Row()
	return nil
}

// isTextHeader reports whether a line names columns instead of being an
// example: both fields are words that people put there.
func isTextHeader(line []byte) bool {
	label, text, _ := strings.Cut(strings.ToLower(string(line[:min(len(line), longestLabel)])), "\t")
	return slices.Contains([]string{"label", "class", "category", "target", "y"}, label) &&
		slices.Contains([]string{"text", "message", "sentence", "document", "content", "x"}, text)
}
