package main

import (
	"context"
	"io"
)

// stdout remembers that standard output could not be written, so that no
// command has to look after every line it prints.
type stdout struct {
	io.Writer
	err error
}

func (o *stdout) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.err = err
	return n, err
}

// stdin is standard input that Ctrl-C ends also while nothing comes.
type stdin struct {
	ctx  context.Context
	in   io.Reader
	buf  []byte
	rest []byte // of buf, not yet handed out
	err  error  // after rest
}

func (w *stdin) Read(p []byte) (int, error) {
	if len(w.rest) == 0 && w.err == nil {
		w.fetch()
	}
	if len(w.rest) > 0 {
		n := copy(p, w.rest)
		w.rest = w.rest[n:]
		return n, nil
	}
	return 0, w.err
}

// fetch reads in the background, for a read cannot be called back.
func (w *stdin) fetch() {
	if w.buf == nil {
		w.buf = make([]byte, 1<<16)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := w.in.Read(w.buf)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		w.rest, w.err = w.buf[:r.n], r.err
	case <-w.ctx.Done():
		w.err = w.ctx.Err()
	}
}
