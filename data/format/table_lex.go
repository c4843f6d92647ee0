package format

import (
	"bytes"
	"io"
	"iter"
)

// Cells of a table. A record is a line, or several where a quoted cell goes on
// over the end of one. A cell that starts with a quote ends with one; a quote
// inside is written twice. A quote further on in a cell is a character like
// any other. Blanks around a cell do not belong to it, those in quotes do.

// cell is one field of a record.
type cell struct {
	text []byte
	at   int // where it starts in the record
}

// lexer cuts a source into records and those into cells. What it hands out is
// borrowed until the next record.
type lexer struct {
	src   *Source
	delim byte

	text  []byte // the record
	line  int    // the line it starts in
	cells []cell

	pending []byte // a line that was read but not used
	joined  []byte // a record of several lines
	plain   []byte // cells whose doubled quotes were made single
}

// next reads a record; io.EOF after the last.
func (l *lexer) next() error {
	for {
		line, err := l.nextLine()
		if err != nil {
			return err
		}
		if skippable(line, l.delim) {
			continue
		}
		l.line = l.src.LineNumber()
		if bytes.IndexByte(line, '"') >= 0 {
			if line, err = l.whole(line); err != nil {
				return err
			}
		}
		return l.split(line, l.line)
	}
}

func (l *lexer) nextLine() ([]byte, error) {
	if line := l.pending; line != nil {
		l.pending = nil
		return line, nil
	}
	return l.src.Line()
}

// whole is the record that starts with line.
func (l *lexer) whole(line []byte) ([]byte, error) {
	q := quoting{delim: l.delim}
	q.scan(line, 0)
	if q.state != inQuotes {
		return line, nil
	}
	l.joined = append(l.joined[:0], line...)
	for q.state == inQuotes {
		line, err := l.src.Line()
		l.text = l.joined // for the place of a failure
		if err == io.EOF {
			return nil, l.fail(q.open, "a quote that is never closed", l.joined[q.open:], `close it, or write "" for a quote in a quoted cell`)
		}
		if err != nil {
			return nil, err
		}
		if len(l.joined)+len(line) > MaxLine {
			return nil, l.fail(q.open, "a quoted cell that goes on for more than 64 MiB", l.joined[q.open:], "close the quote")
		}
		l.joined = append(l.joined, '\n')
		q.scan(line, len(l.joined))
		l.joined = append(l.joined, line...)
	}
	return l.joined, nil
}

// split cuts a record into cells.
func (l *lexer) split(text []byte, line int) error {
	l.text, l.line = text, line
	l.cells, l.plain = l.cells[:0], l.plain[:0]
	for at := 0; ; {
		start := at
		for start < len(text) && blank(text[start], l.delim) {
			start++
		}
		var content []byte
		var end int
		if start < len(text) && text[start] == '"' {
			var err error
			if content, end, err = l.quoted(start); err != nil {
				return err
			}
		} else {
			end = start
			for end < len(text) && text[end] != l.delim {
				end++
			}
			last := end
			for last > start && blank(text[last-1], l.delim) {
				last--
			}
			content = text[start:last]
		}
		l.cells = append(l.cells, cell{content, start})
		if end == len(text) {
			return nil
		}
		at = end + 1
	}
}

// quoted is the content of the cell whose opening quote is at start, and the
// position of the delimiter after it.
func (l *lexer) quoted(start int) ([]byte, int, error) {
	text := l.text
	pos, from, mark := start+1, start+1, len(l.plain)
	for {
		i := bytes.IndexByte(text[pos:], '"')
		if i < 0 {
			return nil, 0, l.fail(start, "a quote that is never closed", text[start:], `close it, or write "" for a quote in a quoted cell`)
		}
		pos += i
		if pos+1 == len(text) || text[pos+1] != '"' {
			break
		}
		l.plain = append(l.plain, text[from:pos+1]...)
		pos += 2
		from = pos
	}
	content := text[from:pos]
	if len(l.plain) > mark {
		l.plain = append(l.plain, content...)
		content = l.plain[mark:]
	}
	end := pos + 1
	for end < len(text) && blank(text[end], l.delim) {
		end++
	}
	if end < len(text) && text[end] != l.delim {
		return nil, 0, l.fail(end, "text after a closing quote", text[start:], `write "" for a quote in a quoted cell`)
	}
	return content, end, nil
}

// place is the line and column of a position in the record.
func (l *lexer) place(at int) (line, col int) {
	before := l.text[:at]
	return l.line + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n')
}

func (l *lexer) fail(at int, what string, found []byte, do string) error {
	line, col := l.place(at)
	return l.src.fail(line, col, what, firstLine(found), do)
}

// blank reports whether c is a blank around cells.
func blank(c, delim byte) bool { return c == ' ' || c == '\t' && delim != '\t' }

// skippable reports whether a line where a record could start is empty or a
// comment.
func skippable(line []byte, delim byte) bool {
	for _, c := range line {
		if !blank(c, delim) {
			return c == '#'
		}
	}
	return true
}

// quoting follows quotes and counts delimiters from line to line.
type quoting struct {
	delim  byte
	state  uint8
	open   int // position of the last opening quote
	delims int // outside quotes
}

const (
	beforeCell = iota
	inCell
	inQuotes
	afterQuote // the end of a quoted cell, or half of a doubled quote
)

// scan goes on over text, which stands at position base of the record.
func (q *quoting) scan(text []byte, base int) {
	for i, c := range text {
		switch {
		case q.state == inQuotes:
			if c == '"' {
				q.state = afterQuote
			}
		case q.state == afterQuote && c == '"':
			q.state = inQuotes
		case c == q.delim:
			q.state = beforeCell
			q.delims++
		case q.state == beforeCell && c == '"':
			q.state, q.open = inQuotes, base+i
		case q.state == beforeCell && blank(c, q.delim):
		default:
			q.state = inCell
		}
	}
	if q.state == afterQuote {
		q.state = inCell // a line end closes it
	}
}

// headRecords are the records of head with their numbers of delimiters. The
// last one is left out if it is not whole, unless there is no other.
func headRecords(head []byte, delim byte) iter.Seq2[[]byte, int] {
	return func(yield func([]byte, int) bool) {
		cut := len(head) >= headSize
		first := true
		for len(head) > 0 {
			line, rest, ended := bytes.Cut(head, []byte("\n"))
			if skippable(bytes.TrimSuffix(line, []byte("\r")), delim) {
				head = rest
				continue
			}
			q := quoting{delim: delim}
			size := len(line)
			q.scan(bytes.TrimSuffix(line, []byte("\r")), 0)
			for q.state == inQuotes && ended {
				line, rest, ended = bytes.Cut(rest, []byte("\n"))
				q.scan(bytes.TrimSuffix(line, []byte("\r")), 0)
				size += 1 + len(line)
			}
			whole := q.state != inQuotes && (ended || !cut)
			if !whole && !first {
				return
			}
			if !yield(bytes.TrimSuffix(head[:size], []byte("\r")), q.delims) {
				return
			}
			first, head = false, rest
		}
	}
}
