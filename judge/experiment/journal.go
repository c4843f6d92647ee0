package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
)

// Header is what all pieces of a journal share. Nothing in it is about one
// piece, so that an experiment may grow: more learners, sizes or repeats.
type Header struct {
	Journal  string            `json:"journal"` // what the file is
	Program  string            `json:"program"`
	Data     string            `json:"data"` // digest
	Test     string            `json:"test,omitempty"`
	Settings map[string]string `json:"settings"`
}

const journalKind = "halfspace experiment 1"

// line is a finished piece.
type line struct {
	Piece   string  `json:"piece"`
	Outcome Outcome `json:"outcome"`
}

// Journal keeps finished pieces in a file, a line of JSON each, so that an
// experiment that was interrupted goes on where it was. A nil journal keeps
// nothing.
type Journal struct {
	mu   sync.Mutex
	f    *os.File
	done map[string]Outcome
}

// OpenJournal begins a journal, or goes on with one of the same header. A last
// line that was not finished is cut off.
func OpenJournal(path string, h Header) (*Journal, error) {
	h.Journal = journalKind
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &Journal{done: map[string]Outcome{}}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := j.read(whole, h); err != nil {
		return nil, fmt.Errorf("the journal %s %w", path, err)
	}
	if len(whole) == 0 && len(text) > 0 && !bytes.HasPrefix(text, []byte(`{"journal":`)) {
		return nil, fmt.Errorf("the journal %s is another kind of file; name another", path)
	}
	if j.f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	err = j.f.Truncate(int64(len(whole)))
	if err == nil {
		_, err = j.f.Seek(0, io.SeekEnd)
	}
	if err == nil && len(whole) == 0 {
		err = j.write(h)
	}
	if err != nil {
		return nil, errors.Join(err, j.f.Close())
	}
	return j, nil
}

// read takes over the whole lines of a journal.
func (j *Journal) read(text []byte, want Header) error {
	n := 0
	for row := range bytes.Lines(text) {
		if n++; n == 1 {
			var h Header
			if err := json.Unmarshal(row, &h); err != nil || h.Journal != journalKind {
				return errors.New("is another kind of file; name another")
			}
			if what := h.differs(want); what != "" {
				return fmt.Errorf("is of other settings: %s; give it those, or name another file", what)
			}
			continue
		}
		var l line
		if err := json.Unmarshal(row, &l); err != nil || l.Piece == "" {
			return fmt.Errorf("is damaged in line %d; delete that line, and the piece is done again", n)
		}
		j.done[l.Piece] = l.Outcome
	}
	return nil
}

// differs is the first difference from what is wanted, in words.
func (h Header) differs(want Header) string {
	switch {
	case h.Program != want.Program:
		return fmt.Sprintf("it was begun by %s, and this is %s", h.Program, want.Program)
	case h.Data != want.Data:
		return "its data has other examples"
	case h.Test != want.Test:
		return "its test data has other examples, or one of both has none"
	}
	names := slices.Collect(maps.Keys(h.Settings))
	for name := range want.Settings {
		if _, both := h.Settings[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if was, is := h.Settings[name], want.Settings[name]; was != is {
			return fmt.Sprintf("there %s is %s, here %s", name, orNothing(was), orNothing(is))
		}
	}
	return ""
}

func orNothing(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}

func (j *Journal) find(piece string) (Outcome, bool) {
	if j == nil {
		return Outcome{}, false
	}
	o, ok := j.done[piece]
	return o, ok
}

// add writes a finished piece, whole, before the next.
func (j *Journal) add(piece string, o Outcome) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(line{piece, o})
}

func (j *Journal) write(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = j.f.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the journal cannot be written: %w", err)
	}
	return nil
}

// Close ends the journal.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.f.Close()
}
