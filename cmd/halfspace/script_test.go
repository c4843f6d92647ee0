package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script are the contract of the command line, a file a
// command. They run the program as a process of its own.
//
// Beside the commands of testscript there are:
//
//	refused CODE halfspace …   it exits with CODE, prints nothing on standard
//	                           output and one line on standard error
//	json PATH VALUE            the JSON object printed last has this value there,
//	                           numbers to 12 digits
//	jsonlines N KEY …          it printed N lines, each an object with these keys
//
// $SHARED is the folder of public data sets; the condition [shared] says whether
// it is there. With -update, what cmp compares is written into the scripts.

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"halfspace": main})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SHARED", shared)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "shared" {
				return false, fmt.Errorf("no condition %q", name)
			}
			_, err := os.Stat(shared)
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refused": refused, "json": jsonValue, "jsonlines": jsonLines,
		},
	})
}

func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refused CODE command …")
	}
	err := ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		ts.Fatalf("not refused: %v", err)
	}
	if got := strconv.Itoa(failed.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output of a refusal: %q", out)
	}
	line := ts.ReadFile("stderr")
	if !strings.HasPrefix(line, "halfspace: ") || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		ts.Fatalf("want one line that starts with \"halfspace: \", got %q", line)
	}
}

// jsonValue compares the value at a path like train.errors or weights.0.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for _, key := range strings.Split(args[0], ".") {
		v = child(ts, v, key)
	}
	got := &bytes.Buffer{}
	enc := json.NewEncoder(got)
	enc.SetEscapeHTML(false)
	ts.Check(enc.Encode(rounded(v)))
	if text := strings.TrimSpace(got.String()); text != args[1] && text != strconv.Quote(args[1]) {
		ts.Fatalf("%s is %s, want %s", args[0], text, args[1])
	}
}

// rounded is v with its numbers to 12 digits: 1.12, not 1.1199999999999999.
func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		return f
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	}
	return v
}

func child(ts *testscript.TestScript, v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		if c, ok := v[key]; ok {
			return c
		}
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i < len(v) {
			return v[i]
		}
	}
	ts.Fatalf("nothing at %s", key)
	return nil
}

func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: jsonlines N KEY …")
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	if want := args[0]; strconv.Itoa(len(lines)) != want {
		ts.Fatalf("%d lines, want %s", len(lines), want)
	}
	for i, line := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("line %d: %v", i+1, err)
		}
		for _, key := range args[1:] {
			child(ts, v, key)
		}
	}
}
