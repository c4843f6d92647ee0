package format

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/halfspace-ml/halfspace/data"
)

// A LIBSVM file is read in pieces of whole lines, one for each worker at a
// time. A worker cuts the next piece off, reads it with the reader that reads
// any LIBSVM file, and when the pieces before have joined the set joins its
// own. So the set, or the error, is that of reading line by line.

const (
	firstPiece = 64 << 10 // pieces double up to the largest: a small file costs little
	mostPiece  = 4 << 20
)

// piece is some lines of a file.
type piece struct {
	text   []byte
	line   int             // lines before it
	err    error           // what ended the file after it, but io.EOF
	share  float64         // how much of the file has been cut off with it; 0: unknown
	before <-chan struct{} // closed when the pieces before have joined
	joined chan struct{}
}

// pieces cuts a source and joins what was read.
type pieces struct {
	ctx  context.Context
	src  *Source
	spec *Spec

	cutting sync.Mutex
	size    int
	rest    []byte // the start of a line that is not whole yet
	line    int
	last    chan struct{}
	ended   bool

	// Changed only by the one whose turn it is to join.
	set *data.Builder
	err error
}

func readPieces(ctx context.Context, src *Source, spec *Spec, b *data.Builder, workers, size int) error {
	p := &pieces{ctx: ctx, src: src, spec: spec, size: size, last: make(chan struct{}), set: b}
	close(p.last)
	var all sync.WaitGroup
	for range workers {
		all.Go(p.work)
	}
	all.Wait()
	return p.err
}

func (p *pieces) work() {
	var c piece
	features := data.NewFeatures()
	b := data.NewBuilder(features)
	in := bufio.NewReaderSize(nil, 256<<10)
	for p.cut(&c) {
		in.Reset(io.MultiReader(bytes.NewReader(c.text), ending{c.err}))
		src := &Source{Name: p.src.Name, in: in, line: c.line, Bytes: p.src.Bytes}
		r := &libsvm{src: src, features: features, labelled: p.spec.needsLabels()}
		err := readRows(p.ctx, guard(r, src, p.spec), nil, b)
		<-c.before
		p.join(b, src.rounded, c.share, err)
		close(c.joined)
	}
}

// join adds the next piece, of which err is what ended it, to the set.
func (p *pieces) join(b *data.Builder, rounded int, share float64, err error) {
	if p.err != nil {
		return
	}
	if err != nil {
		p.err = err
		p.cutting.Lock()
		p.ended = true
		p.cutting.Unlock()
		return
	}
	p.set.Take(b, share)
	p.src.rounded += rounded
	if p.spec.Progress != nil {
		p.spec.Progress(p.set.Len())
	}
}

// cut makes c the next piece, false if there is none.
func (p *pieces) cut(c *piece) bool {
	p.cutting.Lock()
	defer p.cutting.Unlock()
	if p.ended {
		return false
	}
	c.text = append(c.text[:0], p.rest...)
	c.line, c.err = p.line, nil
	size := p.size
	for {
		c.text, c.err = fill(p.src.in, c.text, size)
		if c.err != nil {
			p.ended = true
			break
		}
		if end := bytes.LastIndexByte(c.text, '\n') + 1; end > 0 {
			p.rest = append(p.rest[:0], c.text[end:]...)
			c.text = c.text[:end]
			break
		}
		if len(c.text) > MaxLine { // which the reader will say
			p.ended = true
			break
		}
		size *= 2
	}
	p.size = min(2*p.size, mostPiece)
	p.line += bytes.Count(c.text, []byte("\n"))
	c.share = 0
	if p.src.Size > 0 {
		c.share = min(1, float64(p.src.Done())/float64(p.src.Size))
	}
	c.before, c.joined = p.last, make(chan struct{})
	p.last = c.joined
	return true
}

// fill reads on until text has size bytes, or to an error.
func fill(in io.Reader, text []byte, size int) ([]byte, error) {
	n := len(text)
	text = slices.Grow(text, max(0, size-n))[:max(n, size)]
	for n < len(text) {
		k, err := in.Read(text[n:])
		n += k
		if err != nil {
			return text[:n], err
		}
	}
	return text, nil
}

// ending is a reader that has only an error: io.EOF if it is nil.
type ending struct{ err error }

func (e ending) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}
