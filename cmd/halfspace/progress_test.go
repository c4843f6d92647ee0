package main

import (
	"io"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/risk"
)

// Many classes are watched where they are one problem; as parts they would have
// to take turns.
func TestWatchManyClasses(t *testing.T) {
	set, err := sample.Read("@iris")
	if err != nil {
		t.Fatal(err)
	}
	for way, want := range map[string]bool{"softmax": true, "ovr": false, "ovo": false} {
		p := &progress{out: io.Discard}
		r := halfspace.Run{Set: set}
		p.watch(&r, &risk.Logistic{Options: risk.Options{Multi: way}}, "logistic")
		if got := r.Hooks.Pass != nil; got != want {
			t.Errorf("--multi %s: watched %v, want %v", way, got, want)
		}
		if got := r.Hooks.Part != nil; got == want {
			t.Errorf("--multi %s: parts counted %v", way, got)
		}
	}
}
