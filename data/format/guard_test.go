package format

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

// Two buckets, and four features that must share them: the sums overflow.
func TestHashedSumsStayFinite(t *testing.T) {
	const huge = "1.7e308"
	const want = `f:2: values that share one of 2 hash buckets sum to more than a number can hold; scale the values down, or hash into more buckets with --hash BITS`
	for name, text := range map[string]string{
		"libsvm":       "1 1:1\n-1 1:H 2:H 3:H 4:H\n",
		"cancelling":   "1 1:1\n-1 1:H 2:H 3:H 4:H 5:-H 6:-H 7:-H 8:-H\n", // infinity less infinity
		"json lines":   `{"label":"a","x":{"p":1}}` + "\n" + `{"label":"b","x":{"p":H,"q":H,"r":H,"s":H}}` + "\n",
		"lines":        "a: 1 0 0 0\nb: H H H H\n",
		"csv":          "a,1,0,0,1\nb,H,H,H,H\n",
		"csv, waiting": "a,1,0,0,1,2\nb,H,H,H,H,?\n",
	} {
		t.Run(name, func(t *testing.T) {
			text = strings.ReplaceAll(text, "H", huge)
			open := func() (*Source, *Spec) {
				src, err := NewSource("f", strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				spec := &Spec{Hash: 1}
				if strings.HasPrefix(name, "csv") {
					spec.Header, spec.Label, spec.Missing = "no", "1", "mean"
				}
				return src, spec
			}
			src, spec := open()
			_, err := ReadSet(context.Background(), src, spec)
			var place *data.InputError
			if !errors.As(err, &place) || err.Error() != want {
				t.Errorf("ReadSet: error %v\nwant %s", err, want)
			}
			src, spec = open()
			r, err := Open(src, spec)
			if err != nil {
				t.Fatal(err)
			}
			var ex Example
			if err := r.Read(&ex); err != nil {
				t.Errorf("the first example: %v", err)
			}
			if err := r.Read(&ex); err == nil || err.Error() != want {
				t.Errorf("Read: error %v\nwant %s", err, want)
			}
		})
	}
}

// Nothing is in the way of reading without hashing, nor of values that fit.
func TestGuardLetsThrough(t *testing.T) {
	for _, bits := range []int{0, 1} {
		src, err := NewSource("f", strings.NewReader("1 1:1e308 2:1\n-1 3:-1e308\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(src, &Spec{Hash: bits})
		if err != nil {
			t.Fatal(err)
		}
		var ex Example
		for n := range 2 {
			if err := r.Read(&ex); err != nil {
				t.Errorf("%d bits, example %d: %v", bits, n+1, err)
			}
		}
		if err := r.Read(&ex); err != io.EOF {
			t.Errorf("%d bits: error %v at the end, want %v", bits, err, io.EOF)
		}
	}
}
