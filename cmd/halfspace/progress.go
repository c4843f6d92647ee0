package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// progress is one line on the terminal, rewritten a few times a second once
// the work has taken a second. Anywhere else it is nothing.
type progress struct {
	out   io.Writer // nil: not a terminal
	begun time.Time
	last  time.Time
	shown bool
}

func newProgress(c *cobra.Command) *progress {
	p := &progress{begun: time.Now()}
	if f, ok := c.ErrOrStderr().(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = f
		}
	}
	return p
}

func (p *progress) elapsed() time.Duration { return time.Since(p.begun) }

func (p *progress) show(line func() string) {
	now := time.Now()
	if p.out == nil || now.Sub(p.begun) < time.Second || now.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.out, "\r\x1b[K%s", line())
}

// end wipes the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func readingLine(src *format.Source, rows int, took time.Duration) string {
	done := float64(src.Done()) / 1e6
	line := fmt.Sprintf("reading %s: %d examples, %.1f MB, %.1f MB/s", src.Name, rows, done, done/took.Seconds())
	if src.Size > 0 {
		line += fmt.Sprintf(", %.0f %%", 100*float64(src.Done())/float64(src.Size))
	}
	return line
}

// watch shows how far a training is, where someone can see it: its loops, or, of
// parts, how many are done, for watched more closely they would have to take
// turns.
func (p *progress) watch(r *halfspace.Run, l halfspace.Learner, what string) {
	_, parts := l.(*multi.Reduction)
	if _, own := l.(halfspace.Pather); own && len(r.Set.Classes()) > 2 {
		way := halfspace.Values(l.Params())["multi"]
		parts = way != "softmax" && way != "crammer-singer"
	}
	switch {
	case p.out == nil:
	case parts:
		r.Hooks.Part = func(done, all int) {
			p.show(func() string { return fmt.Sprintf("%s: %d of %d parts learned", what, done, all) })
		}
	default:
		r.Hooks.Pass = p.loops(what)
	}
}

// loops is a hook that shows how far a training is.
func (p *progress) loops(learner string) func(*halfspace.Pass) {
	return func(s *halfspace.Pass) {
		p.show(func() string {
			line := fmt.Sprintf("%s: loop %d of at most %d, %d of %d wrong", learner, s.Epoch+1, s.Epochs, s.Mistakes, s.Examples)
			if s.HasLoss {
				line += fmt.Sprintf(", loss %.6g", s.Loss)
			}
			return line
		})
	}
}
