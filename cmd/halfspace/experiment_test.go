package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/halfspace-ml/halfspace/judge/experiment"
)

// A curve that was interrupted is lost without a journal; with one, the same
// command goes on and prints what it would have printed at once.
func TestInterruptedCurve(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("curve @gauss:n=200 --folds 5 --sizes 20,40,80 --workers 1")
	var want, out, talk bytes.Buffer
	if code := run(context.Background(), args, nil, &want, &talk); code != 0 {
		t.Fatal(talk.String())
	}
	cut := regexp.MustCompile(`^halfspace: interrupted after [1-9][0-9]* of 15 trainings`)
	for _, journal := range []bool{false, true} {
		end := ", which are lost; --journal FILE keeps them\n"
		if journal {
			args = append(args, "--journal", "kept")
			end = "; they are kept in kept, and the same command goes on from there\n"
		}
		out.Reset()
		talk.Reset()
		code := run(&countdown{context.Background(), 100}, args, nil, &out, &talk)
		if code != 1 || out.Len() > 0 || !cut.MatchString(talk.String()) || !strings.HasSuffix(talk.String(), end) {
			t.Fatalf("exit code %d, %q and %q", code, out.String(), talk.String())
		}
	}
	before, err := os.ReadFile("kept")
	if err != nil || bytes.Count(before, []byte("\n")) < 2 {
		t.Fatalf("the journal is %q, %v", before, err)
	}
	talk.Reset()
	if code := run(context.Background(), args, nil, &out, &talk); code != 0 || out.String() != want.String() {
		t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, talk.String(), out.String(), want.String())
	}
	after, err := os.ReadFile("kept")
	if err != nil || !bytes.HasPrefix(after, before) || bytes.Count(after, []byte("\n")) != 16 {
		t.Errorf("the journal did not grow to a header and 15 pieces: %v", err)
	}
}

func TestRemaining(t *testing.T) {
	for _, test := range []struct {
		p    experiment.Progress
		want string
	}{
		{experiment.Progress{Done: 30, Restored: 10, All: 40}, "30 of 40 trainings, about 10s left"},
		{experiment.Progress{Done: 10, Restored: 10, All: 40}, "10 of 40 trainings"},
	} {
		if got := remaining(test.p, 20*time.Second); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// The figures of experiments, each looked at before it became golden.
func TestExperimentFigures(t *testing.T) {
	for name, args := range map[string]string{
		"curve":       "curve @digits35 --no-bias --tie positive --test @digits35-test --sizes 10,20,50,100,243",
		"curve-bands": "curve @gauss:n=300,d=5 --hold-out 0.2 --repeats 8 --sizes 10,30,100,240",
		"curve-words": "curve @digits35 --over tie --values wrong,positive,negative --folds 5 --theme dark",
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "figure.svg")
			if code := run(context.Background(), append(strings.Fields(args), "-o", out), nil, io.Discard, io.Discard); code != 0 {
				t.Fatalf("exit %d", code)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			checkSVG(t, got)
			compareGolden(t, name+".svg", got)
		})
	}
}

// The figures of a report are those of its numbers.
func TestReportFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("compare @digits35 --learners perceptron,averaged,svm:c=0.1 --folds 5 --report page")
	if code := run(context.Background(), args, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit %d", code)
	}
	page, err := os.ReadFile(filepath.Join("page", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	figures := regexp.MustCompile(`(?s)<svg.*?</svg>\n`).FindAll(page, -1)
	if len(figures) != 2 {
		t.Fatalf("%d figures, want 2", len(figures))
	}
	for i, name := range []string{"compare-intervals.svg", "compare-parts.svg"} {
		checkSVG(t, figures[i])
		compareGolden(t, name, figures[i])
	}
}

// compareGolden holds a picture to testdata/figures, or puts it there.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	golden := filepath.Join(goldenFigures, name)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is another picture; run 'make update' and look at it", name)
	}
}

// goldenFigures is named from the root, for tests change folders.
var goldenFigures = func() string {
	dir, err := filepath.Abs(filepath.Join("testdata", "figures"))
	if err != nil {
		panic(err)
	}
	return dir
}()

func TestShellWords(t *testing.T) {
	got := shellWords([]string{"halfspace", "fit", "my data.csv", "--relabel=it's*=a", ""})
	if want := `halfspace fit 'my data.csv' '--relabel=it'\''s*=a' ''`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
