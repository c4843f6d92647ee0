package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/vec"
)

// countdown is a context that ends when it has been asked often enough, so that
// a test interrupts at the same place every time.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedFit ends a training that would go on for years. What was
// learned until then is reported and written, and the model is a sound one.
func TestInterruptedFit(t *testing.T) {
	for _, learner := range []string{"perceptron", "averaged", "voted", "pocket", "pla", "perceptron-batch", "margin", "passive-aggressive"} {
		t.Run(learner, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out, talk bytes.Buffer
			ctx := &countdown{context.Background(), 200}
			code := run(ctx, []string{"fit", "@gauss:n=2000", "--epochs", "1e15", "--workers", "1", "--learner", learner, "-o", "cut.model"}, nil, &out, &talk)
			if code != 1 {
				t.Fatalf("exit code %d, want 1: %s", code, talk.String())
			}
			last := talk.String()[strings.LastIndexByte(strings.TrimSuffix(talk.String(), "\n"), '\n')+1:]
			if !strings.HasPrefix(last, "halfspace: interrupted after ") || !strings.HasSuffix(last, "; the model is what was learned until then\n") {
				t.Errorf("%q on standard error", talk.String())
			}
			if !strings.HasSuffix(out.String(), "\nmodel      cut.model\n") {
				t.Errorf("no model in the report:\n%s", out.String())
			}
			m, err := halfspace.Load("cut.model")
			if err != nil {
				t.Fatal(err)
			}
			if !m.Report.Interrupted || m.Report.Converged || m.Report.Updates == 0 {
				t.Errorf("the report does not tell: %+v", m.Report)
			}
			if code := run(context.Background(), []string{"eval", "cut.model", "@gauss"}, nil, io.Discard, &talk); code != 0 {
				t.Errorf("the model cannot be used: %s", talk.String())
			}
		})
	}
}

// TestInterruptedReading leaves nothing behind: nothing was learned.
func TestInterruptedReading(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, talk bytes.Buffer
	ctx := &countdown{context.Background(), 0}
	code := run(ctx, []string{"fit", "-", "-o", "out.model"}, strings.NewReader("1,a\n2,b\n"), &out, &talk)
	if want := "halfspace: interrupted while reading standard input\n"; code != 1 || talk.String() != want || out.Len() > 0 {
		t.Errorf("exit code %d, %q and %q, want 1 and %q", code, out.String(), talk.String(), want)
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("files were left: %v", left)
	}
}

// TestInterruptedAtOnce leaves the model of before: nothing was learned.
func TestInterruptedAtOnce(t *testing.T) {
	for _, learner := range []string{"logistic", "svm", "perceptron-batch", "network"} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("old.model", []byte("good"), 0o666); err != nil {
			t.Fatal(err)
		}
		for left := range 40 {
			var out, talk bytes.Buffer
			ctx := &countdown{context.Background(), left}
			run(ctx, []string{"fit", "@gauss:n=2000", "--workers", "1", "--learner", learner, "-o", "old.model"}, nil, &out, &talk)
			old, _ := os.ReadFile("old.model")
			if nothing := strings.Contains(talk.String(), "nothing was learned"); nothing != (string(old) == "good") && !strings.Contains(talk.String(), "while reading") {
				t.Fatalf("%s, %d: %q, model changed %v", learner, left, talk.String(), string(old) != "good")
			}
			if string(old) != "good" {
				break
			}
		}
	}
}

// TestInterruptedLearning writes back what was learned.
func TestInterruptedLearning(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, talk bytes.Buffer
	ctx := &countdown{context.Background(), 2}
	code := run(ctx, []string{"learn", "m.model"}, strings.NewReader("1 1:1\n-1 1:2\n1 1:3\n"), &out, &talk)
	want := "2 examples seen, 2 learned from, 2 of them predicted wrong; model m.model\nhalfspace: interrupted after 2 examples\n"
	if code != 1 || talk.String() != want || out.String() != "?\n1\n" {
		t.Errorf("exit code %d, %q and %q, want 1 and %q", code, out.String(), talk.String(), want)
	}
	if m, err := halfspace.Load("m.model"); err != nil || m.Report.Learned != 2 {
		t.Errorf("model %v, %v", m, err)
	}
}

// conversation gives one line at a time, and the next only to who has answered
// all before it.
type conversation struct {
	t       *testing.T
	lines   []string
	sent    int
	silent  int // lines that have no answer, such as a header
	answers *bytes.Buffer
}

func (c *conversation) Read(p []byte) (int, error) {
	if got, want := bytes.Count(c.answers.Bytes(), []byte("\n")), max(0, c.sent-c.silent); got != want {
		c.t.Errorf("asked for line %d after %d answers, want %d", c.sent+1, got, want)
		return 0, io.EOF
	}
	if c.sent == len(c.lines) {
		return 0, io.EOF
	}
	c.sent++
	return copy(p, c.lines[c.sent-1]), nil
}

// TestConversation learns from a slow pipe, whose other end waits for the answer
// before it goes on: no reader may look ahead.
func TestConversation(t *testing.T) {
	tests := []struct {
		name   string
		train  string // what the model was fitted on; "": it is new
		flags  []string
		silent int
		lines  []string
		want   string
	}{
		{"new, LIBSVM", "", []string{"--format", "libsvm"}, 0, []string{"1 1:1\n", "0\n", "1:1\n", "1 1:1\n"}, "?\n1\n1\n1\n"},
		{"new, lines", "", []string{"--format", "lines"}, 0, []string{"a: 1\n", "b: 2\n", "a: 1\n"}, "?\na\nb\n"},
		{"new, text", "", []string{"--format", "text"}, 0, []string{"ham\tat noon\n", "spam\tbuy\n"}, "?\nham\n"},
		{"new, JSON", "", []string{"--format", "json"}, 0, []string{"{\"label\":1,\"x\":[1]}\n", "{\"label\":2,\"x\":[3]}\n"}, "?\n1\n"},
		{"LIBSVM", "1 1:1\n-1 1:-1\n", nil, 0, []string{"1:2\n", "-1 1:-2\n"}, "1\n-1\n"},
		{"lines", "a: 1\nb: -1\n", nil, 0, []string{"2\n", "b: -2\n"}, "a\nb\n"},
		{"text", "ham\tsee you at noon\nspam\tbuy it now\n", nil, 0, []string{"see you\n", "spam\tbuy\n"}, "ham\nspam\n"},
		{"JSON", "{\"label\":\"a\",\"x\":[1]}\n{\"label\":\"b\",\"x\":[-1]}\n", nil, 0, []string{"{\"x\":[2]}\n", "{\"x\":[-2]}\n"}, "a\nb\n"},
		{"a table", "1,a\n-1,b\n", nil, 0, []string{"2\n", "-2\n"}, "a\nb\n"},
		{"a table with its label", "1,5,a\n-1,5,b\n", nil, 0, []string{"2,5,a\n", "-2,5,b\n"}, "a\nb\n"},
		{"a table with a header", "x,kind\n1,a\n-1,b\n", nil, 1, []string{"kind,x\n", "a,2\n", ",-2\n"}, "a\nb\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out, talk bytes.Buffer
			if test.train != "" {
				if code := run(context.Background(), []string{"fit", "-", "-o", "m.model"}, strings.NewReader(test.train), io.Discard, &talk); code != 0 {
					t.Fatal(talk.String())
				}
			}
			in := &conversation{t: t, lines: test.lines, silent: test.silent, answers: &out}
			code := run(context.Background(), append([]string{"learn", "m.model"}, test.flags...), in, &out, &talk)
			if code != 0 || out.String() != test.want {
				t.Errorf("exit code %d, answers %q, want %q; %s", code, out.String(), test.want, talk.String())
			}
		})
	}
}

// TestPredictsWithoutCopies holds learn to one copy of the weights for a run of
// unlabelled examples: a wide model would be slow otherwise.
func TestPredictsWithoutCopies(t *testing.T) {
	online := &counting{}
	st := &studying{m: halfspace.EmptyModel(halfspace.TieWrong, true), online: online}
	st.m.Classes = []string{"a", "b"}
	st.applier = st.m.Maps.Applier()
	for range 3 {
		st.take(&format.Example{})
	}
	st.take(&format.Example{Label: []byte("a")})
	st.take(&format.Example{})
	if online.snapshots != 2 {
		t.Errorf("%d copies for two states of the model, want 2", online.snapshots)
	}
}

type counting struct{ snapshots int }

func (c *counting) Learn(vec.Row, int) halfspace.Visit { return halfspace.Visit{} }

func (c *counting) Snapshot() *halfspace.Model {
	c.snapshots++
	return &halfspace.Model{Weights: halfspace.NewWeights(2, 0), Tie: halfspace.TieWrong}
}
