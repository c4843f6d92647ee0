package format

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/halfspace-ml/halfspace/data"
)

const (
	// MaxLine is the longest line that is read.
	MaxLine = 64 << 20
	// mostCompressed is how often a file may be compressed.
	mostCompressed = 3
	// headSize is how much of a file recognition may look at.
	headSize = 64 << 10
)

// Source is a file being read: its name for messages, its bytes without
// compression and byte-order mark, and the line it is at.
type Source struct {
	Name string
	Size int64 // of the file as it lies on disk; 0: unknown

	path    string // where it lies on disk; empty: it is a stream
	raw     counter
	in      *bufio.Reader
	headErr error
	closers []io.Closer
	line    int
	long    []byte // a line longer than the buffer
	Bytes   bool   // lines need not be UTF-8
	rounded int    // values that lost digits
}

type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// OpenFile opens the named file, or standard input for "-".
func OpenFile(path string) (*Source, error) {
	if path == "-" {
		return NewSource("standard input", os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	s, err := fromFile(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func fromFile(path string, f *os.File) (*Source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, openError(path, err)
	}
	if info.IsDir() {
		return nil, &data.InputError{File: path, What: "this is a directory", Do: "name a file in it"}
	}
	s, err := NewSource(path, f)
	if err != nil {
		return nil, err
	}
	s.path, s.Size = path, info.Size()
	s.closers = slices.Insert(s.closers, 0, io.Closer(f)) // decompressors close first
	return s, nil
}

func openError(path string, err error) error {
	e := &data.InputError{File: path, What: "cannot be opened", Do: "check the name and the permissions", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.What, e.Do = "no such file", "check the name; built-in sets start with @ (see 'halfspace data')"
	case errors.Is(err, fs.ErrPermission):
		e.What, e.Do = "permission denied", "make the file readable"
	}
	return e
}

// NewSource reads from r, which may be compressed (gzip, bzip2, zstd); the
// name is for messages.
func NewSource(name string, r io.Reader) (*Source, error) {
	s := &Source{Name: name}
	s.raw.r = r
	in := bufio.NewReaderSize(&s.raw, 256<<10)
	for depth := 0; ; depth++ { // a compressed file may have been compressed again
		inner, closer, err := decompress(in)
		if err != nil {
			s.Close()
			return nil, s.damaged(err)
		}
		if inner == nil {
			break
		}
		if closer != nil {
			s.closers = append(s.closers, closer)
		}
		if depth == mostCompressed {
			s.Close()
			return nil, s.fail(0, 0, fmt.Sprintf("compressed more than %d times", mostCompressed), "", "decompress the file first")
		}
		in = bufio.NewReaderSize(&translate{inner, s}, 256<<10)
	}
	if begins(in, byteOrderMark) {
		in.Discard(len(byteOrderMark))
	}
	s.in = in
	return s, nil
}

// begins reports whether in starts with prefix. It waits for no byte more than
// it needs to tell: the other end may be waiting for an answer.
func begins(in *bufio.Reader, prefix string) bool {
	for n := 1; n <= len(prefix); n++ {
		if head, _ := in.Peek(n); string(head) != prefix[:n] {
			return false
		}
	}
	return true
}

// decompress is the content of in if it starts like a compressed file, nil if
// it does not.
func decompress(in *bufio.Reader) (io.Reader, io.Closer, error) {
	switch {
	case begins(in, "\x1f\x8b"):
		r, err := gzip.NewReader(in)
		return r, nil, err
	case begins(in, "BZh"):
		if magic, _ := in.Peek(4); len(magic) == 4 && magic[3] >= '1' && magic[3] <= '9' {
			return bzip2.NewReader(in), nil, nil
		}
	case begins(in, "\x28\xb5\x2f\xfd"):
		r, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, nil, err
		}
		return r, r.IOReadCloser(), nil
	}
	return nil, nil, nil
}

// translate turns a decompressor's complaint into one that names the file.
type translate struct {
	r io.Reader
	s *Source
}

func (t *translate) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && err != io.EOF {
		err = t.s.damaged(err)
	}
	return n, err
}

func (s *Source) damaged(err error) error {
	var in *data.InputError
	if errors.As(err, &in) {
		return err
	}
	what := "the compressed data is damaged"
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "the compressed data ends too early"
	}
	return &data.InputError{File: s.Name, What: fmt.Sprintf("%s (%v)", what, err), Do: "fetch or copy the file again", Err: err}
}

// Close ends reading.
func (s *Source) Close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i].Close())
	}
	return err
}

// Done is how many bytes of the file on disk have been read.
func (s *Source) Done() int64 { return s.raw.n.Load() }

// Head is the first bytes of the content, without reading them away.
func (s *Source) Head() []byte {
	head, err := s.in.Peek(headSize)
	if err != nil && err != io.EOF {
		err = s.locate(err)
	}
	s.headErr = err
	return head
}

// start is what there is of the content already, at least a byte of it: for
// streams that go on only when they are answered.
func (s *Source) start() []byte {
	s.in.Peek(1)
	head, _ := s.in.Peek(s.in.Buffered())
	return head
}

// Reader is the content itself, for formats that are not lines.
func (s *Source) Reader() *bufio.Reader { return s.in }

// LineNumber is the number of the line that Line returned last, from 1.
func (s *Source) LineNumber() int { return s.line }

// byteOrderMark is left out at the start of a file. In front of another line
// it would go unseen, and make two names of one.
const byteOrderMark = "\ufeff"

// Line is the next line without its end (LF or CR LF), borrowed until the next
// call; io.EOF after the last. A line with a NUL byte, or with a byte-order mark
// in front, or that is not UTF-8 (unless s.Bytes), or longer than MaxLine is an
// error.
func (s *Source) Line() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	s.line++
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = s.in.ReadSlice('\n')
			if len(s.long)+len(line) > MaxLine {
				return nil, s.fail(s.line, 1, "the line is longer than 64 MiB", "", "check that this is a text file with one example a line")
			}
			s.long = append(s.long, line...)
		}
		line = s.long
	}
	if err != nil && err != io.EOF {
		return nil, s.locate(err)
	}
	if err == io.EOF && len(line) == 0 {
		return nil, io.EOF
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if i := bytes.IndexByte(line, '\r'); i >= 0 && err == io.EOF && s.line == 1 {
		return nil, s.fail(1, i+1, "a carriage return, and no line feed in the whole file", "", "end lines with LF or CR LF")
	}
	if first := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(first, []byte(byteOrderMark)) {
		return nil, s.fail(s.line, len(line)-len(first)+1, "a byte-order mark within the file", string(first), "remove it; files put together leave it")
	}
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return nil, s.nul(s.line, i+1)
	}
	if !s.Bytes && !utf8.Valid(line) {
		return nil, s.notUTF8(s.line, line)
	}
	return line, nil
}

// locate adds the line to an error that has none.
func (s *Source) locate(err error) error {
	var in *data.InputError
	if errors.As(err, &in) {
		if in.Line > 0 {
			return err
		}
		here := *in
		here.Line = s.line
		return &here
	}
	return &data.InputError{File: s.Name, Line: s.line, What: "cannot be read: " + err.Error(), Do: "check the file and the disk", Err: err}
}

func (s *Source) nul(line, col int) error {
	return s.fail(line, col, "a NUL byte, so this is not text", "", "check the file; is it binary, or UTF-16?")
}

func (s *Source) notUTF8(line int, text []byte) error {
	col := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n <= 1 {
			break
		}
		col, text = col+n, text[n:]
	}
	return s.fail(line, col, "not UTF-8 text", string(text[:min(1, len(text))]), "convert the file, e.g. iconv -f latin1 -t utf-8")
}

// checkText returns an error if head is not text.
func (s *Source) checkText(head []byte) error {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return s.fail(1, 1, "UTF-16 text", string(head[:2]), "convert the file, e.g. iconv -f utf-16 -t utf-8")
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		line := 1 + bytes.Count(head[:i], []byte("\n"))
		col := i - bytes.LastIndexByte(head[:i], '\n')
		return s.nul(line, col)
	}
	return nil
}

// fail is an error at a place of s.
func (s *Source) fail(line, col int, what, found, do string) error {
	return &data.InputError{File: s.Name, Line: line, Col: col, What: what, Found: found, Do: do}
}

func (s *Source) noExamples() error {
	return s.fail(0, 0, "no examples in the file", "", "give a file with at least one example")
}

// endsEarly is the error for err where a file of bytes must go on; another
// error than its end is told as it is.
func (s *Source) endsEarly(err error, what, do string) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return s.locate(err)
	}
	return &data.InputError{File: s.Name, What: what, Do: do, Err: io.ErrUnexpectedEOF}
}

// ragged is the error that a line has another number of values than the line
// that told how many there are, or, if from is 0, than the model's data has.
func (s *Source) ragged(col, values, from, width int) error {
	if from == 0 {
		return s.misfit(s.line, col, values, width)
	}
	what := fmt.Sprintf("%s where line %d has %d", count(values, "value"), from, width)
	return s.fail(s.line, col, what, "", "give every line the same number of values")
}

// misfit is the error that a file has another number of values a row than the
// model it is read for.
func (s *Source) misfit(line, col, values, known int) error {
	what := fmt.Sprintf("%s where the model was trained on %d", count(values, "value"), known)
	return s.fail(line, col, what, "", "model and data do not fit together")
}

// count is n things in words.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// binary reports whether head cannot be text.
func binary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// firstLine is the first line of head, for messages.
func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return string(bytes.TrimSpace(line))
}
