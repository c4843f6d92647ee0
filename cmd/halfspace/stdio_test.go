package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
)

// pressed is standard input that gives some lines and then nothing more, while
// the user waits and presses Ctrl-C.
func pressed(t *testing.T, lines string) (context.Context, io.Reader) {
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	go func() {
		io.WriteString(w, lines) // returns when all is read
		stop()
	}()
	return ctx, r
}

// TestInterruptedWaiting ends every command that waits for standard input, also
// while nothing comes.
func TestInterruptedWaiting(t *testing.T) {
	t.Chdir(t.TempDir())
	if code := run(context.Background(), []string{"fit", "@nor", "-o", "m.model"}, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for args, want := range map[string]string{
		"fit -":             "interrupted while reading standard input",
		"trace -":           "interrupted while reading standard input",
		"data -":            "interrupted while reading standard input",
		"convert - o.csv":   "interrupted while reading standard input",
		"eval m.model -":    "interrupted while reading standard input",
		"predict m.model -": "interrupted after 0 examples",
		"learn m.model":     "interrupted after 0 examples",
		"learn new.model":   "interrupted after 0 examples",
	} {
		t.Run(args, func(t *testing.T) {
			ctx, in := pressed(t, "")
			var out, talk bytes.Buffer
			code := run(ctx, strings.Fields(args), in, &out, &talk)
			if want := "halfspace: " + want + "\n"; code != 1 || talk.String() != want || out.Len() > 0 {
				t.Errorf("exit code %d, %q and %q, want 1 and %q", code, out.String(), talk.String(), want)
			}
		})
	}
}

// TestInterruptedWaitingLearns keeps what was learned before the wait.
func TestInterruptedWaitingLearns(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Repeat("1 1:1\n-1 2:1\n", 500)
	if code := run(context.Background(), []string{"learn", "m.model"}, strings.NewReader(lines), io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	ctx, in := pressed(t, lines)
	var out, talk bytes.Buffer
	if code := run(ctx, []string{"learn", "m.model"}, in, &out, &talk); code != 1 || !strings.Contains(talk.String(), "halfspace: interrupted after ") {
		t.Fatalf("exit code %d, %q", code, talk.String())
	}
	answers := strings.Count(out.String(), "\n")
	if m, err := halfspace.Load("m.model"); err != nil || m.Report.Learned != 1000+answers {
		t.Errorf("%d examples answered and the model has %+v, %v", answers, m, err)
	}
}

// full is a disk with no space left.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestFullOutput does not let a report get lost without a word.
func TestFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	if code := run(context.Background(), []string{"fit", "@nor", "-o", "m.model"}, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, args := range []string{
		"fit @nor", "fit @nor --json", "eval m.model @nor", "predict m.model @nor", "show m.model", "trace @nor",
		"data", "data @nor", "learners", "learners pocket", "convert @nor - --to csv", "--version", "fit --help",
	} {
		t.Run(args, func(t *testing.T) {
			var talk bytes.Buffer
			code := run(context.Background(), strings.Fields(args), nil, full{}, &talk)
			if want := fmt.Sprintf("halfspace: standard output: %v\n", errFull); code != 1 || talk.String() != want {
				t.Errorf("exit code %d and %q, want 1 and %q", code, talk.String(), want)
			}
		})
	}
}

// TestManyClasses keeps the list of classes to a screenful.
func TestManyClasses(t *testing.T) {
	var rows strings.Builder
	for i := range classesShown + 3 {
		fmt.Fprintf(&rows, "%d,class%d\n", i, i)
	}
	code, out, _ := inFolder(t, map[string]string{"many.csv": rows.String()}, "", "data", "many.csv")
	want := "         1  class49\n            … and 3 more (--json has all)\ndigest "
	if code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit code %d, no %q in\n%s", code, want, out)
	}
}

// TestTestFirst refuses test data before a training that would go on for years
// and be lost.
func TestTestFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, talk bytes.Buffer
	ctx := &countdown{context.Background(), 200}
	code := run(ctx, []string{"fit", "@gauss", "--epochs", "1e15", "--test", "@iris"}, nil, &out, &talk)
	if code != 3 || !strings.HasPrefix(talk.String(), "halfspace: @iris:") || out.Len() > 0 {
		t.Errorf("exit code %d, %q and %q, want 3 and what is wrong with @iris", code, out.String(), talk.String())
	}
}

// TestSetForModel knows the arguments in the wrong order.
func TestSetForModel(t *testing.T) {
	for command, use := range map[string]string{"predict": "predict MODEL DATA", "eval": "eval MODEL DATA"} {
		code, _, talk := inFolder(t, nil, "", command, "@iris", "m.model")
		if want := "halfspace: @iris is a set, not a model; use: halfspace " + use + "\n"; code != 2 || talk != want {
			t.Errorf("exit code %d and %q, want 2 and %q", code, talk, want)
		}
	}
}
