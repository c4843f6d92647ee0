package data

import (
	"slices"
	"strconv"
	"testing"
)

// number is what Named or Numbered gave, -1 for nothing.
func number(j uint32, ok bool) int {
	if !ok {
		return -1
	}
	return int(j)
}

func TestNamedFeatures(t *testing.T) {
	f := NewFeatures("a", "b")
	for _, c := range []struct {
		name string
		want int
	}{{"b", 1}, {"c", 2}, {"a", 0}, {"c", 2}} {
		if got := number(f.Named([]byte(c.name))); got != c.want {
			t.Errorf("%q is number %d, want %d", c.name, got, c.want)
		}
	}
	if f.Len() != 3 || !f.HasNames() || f.Bits() != 0 || f.Unknown() != 0 || !slices.Equal(f.Names(), []string{"a", "b", "c"}) {
		t.Errorf("%d features %q", f.Len(), f.Names())
	}
}

func TestNumberedFeatures(t *testing.T) {
	f := NewFeatures()
	if got := number(f.Numbered(4)); got != 4 || f.Len() != 5 {
		t.Errorf("number %d of %d, want 4 of 5", got, f.Len())
	}
	if got := number(f.Numbered(2)); got != 2 || f.Len() != 5 {
		t.Errorf("number %d of %d, want 2 of 5", got, f.Len())
	}
	if f.HasNames() || f.Name(0) != "x1" || f.Name(4) != "x5" {
		t.Errorf("names %q and %q, want x1 and x5", f.Name(0), f.Name(4))
	}
	// A name comes after all numbers, and earlier ones keep theirs.
	if got := number(f.Named([]byte("last"))); got != 5 || f.Name(5) != "last" || f.Name(3) != "x4" {
		t.Errorf("last is number %d of %q", got, f.Names())
	}
}

func TestFrozenFeatures(t *testing.T) {
	open := NewFeatures("a", "b")
	f := open.Frozen()
	for _, c := range []struct {
		what string
		got  int
		want int
	}{
		{"a name", number(f.Named([]byte("b"))), 1},
		{"a new name", number(f.Named([]byte("c"))), -1},
		{"a number", number(f.Numbered(1)), 1},
		{"a new number", number(f.Numbered(2)), -1},
		{"a new name again", number(f.Named([]byte("c"))), -1},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, c.got, c.want)
		}
	}
	if f.Unknown() != 3 || f.Len() != 2 || open.Unknown() != 0 || f.Frozen().Unknown() != 0 {
		t.Errorf("%d unknown of %d", f.Unknown(), f.Len())
	}
	if got := number(open.Named([]byte("c"))); got != 2 || f.Len() != 2 {
		t.Errorf("the open list gives %d, the frozen one has %d features; want 2 and 2", got, f.Len())
	}
}

// The numbers are part of the model format: models that hash depend on them.
// Computed with an independent FNV-1a (Python) and the finishing mix.
func TestHashedFeatures(t *testing.T) {
	f := HashedFeatures(18)
	for name, want := range map[string]int{"": 77439, "a": 28529, "b": 118823, "free": 223718, "größe": 93009} {
		if got := number(f.Named([]byte(name))); got != want {
			t.Errorf("%q is in bucket %d, want %d", name, got, want)
		}
	}
	if f.Len() != 1<<18 || f.Bits() != 18 || f.HasNames() || f.Name(7) != "#7" {
		t.Errorf("%d features, %d bits, name %q", f.Len(), f.Bits(), f.Name(7))
	}
	// A number is hashed as the file writes it, from 1.
	byNumber, byName := number(f.Numbered(41)), number(f.Named([]byte("42")))
	if byNumber != byName {
		t.Errorf("the feature numbered 42 is in bucket %d, the one called 42 in %d", byNumber, byName)
	}
	frozen := f.Frozen()
	if got := number(frozen.Named([]byte("never seen"))); got < 0 || frozen.Unknown() != 0 {
		t.Error("a hash knows every name, frozen or not")
	}
}

func TestHashIsSpread(t *testing.T) {
	f := HashedFeatures(4)
	counts := make([]int, 16)
	for i := range 16000 {
		counts[number(f.Named([]byte("word"+strconv.Itoa(i))))]++
	}
	for bucket, n := range counts { // 1000 expected; the standard deviation is 31
		if n < 850 || n > 1150 {
			t.Errorf("bucket %d has %d of 16000 names", bucket, n)
		}
	}
}

func TestRestoredFeatures(t *testing.T) {
	f := RestoreFeatures([]string{"a", "", "c"}, 5, 0)
	for j, want := range []string{"a", "x2", "c", "x4", "x5"} {
		if got := f.Name(j); got != want {
			t.Errorf("feature %d is %q, want %q", j, got, want)
		}
	}
	if got := number(f.Named([]byte("c"))); got != 2 {
		t.Errorf("c is number %d, want 2", got)
	}
	if got := number(f.Named([]byte("new"))); got != 5 || f.Name(5) != "new" || f.Name(4) != "x5" {
		t.Errorf("a new name is number %d, want 5", got)
	}
	if f := RestoreFeatures(nil, 1<<20, 20); f.Bits() != 20 || f.Len() != 1<<20 {
		t.Error("hashed features are not restored")
	}
}

func TestDerivedFeatures(t *testing.T) {
	calls := 0
	f := DerivedFeatures(3, func(j int) string { calls++; return "d" + strconv.Itoa(j) })
	if f.Len() != 3 || !f.HasNames() || calls != 0 {
		t.Errorf("%d features, %d names made before one was asked for", f.Len(), calls)
	}
	if f.Name(2) != "d2" || !slices.Equal(f.Names(), []string{"d0", "d1", "d2"}) {
		t.Errorf("names %q", f.Names())
	}
	if number(f.Numbered(2)) != 2 || number(f.Numbered(3)) != -1 || f.Unknown() != 1 {
		t.Error("a derived list takes new features")
	}
}

func TestTooManyFeatures(t *testing.T) {
	f := RestoreFeatures(nil, MaxFeatures, 0)
	if got := number(f.Named([]byte("one more"))); got != -1 || f.Len() != MaxFeatures || f.Unknown() != 1 {
		t.Errorf("number %d of %d", got, f.Len())
	}
}
