package prep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// bag is the words of a text with their values, in order of appearance.
func bag(w *Words, text string, features *data.Features) []string {
	var b vec.Buffer
	b.Reset()
	w.Add(&b, []byte(text), features)
	var out []string
	for j, v := range b.Row().All() {
		out = append(out, fmt.Sprintf("%s:%v", features.Name(j), v))
	}
	return out
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, counts, binary string }{
		{"", "", ""},
		{" ,. \n", "", ""},
		{"Free entry, FREE!", "free:2 entry:1", "free:1 entry:1"},
		{"a I 7 no 42", "no:1 42:1", "no:1 42:1"},
		{"don't 'quoted' rock'n'roll '' 'a'", "don't:1 quoted:1 rock'n'roll:1", "don't:1 quoted:1 rock'n'roll:1"},
		{"Don’t ‘so’", "don't:1 so:1", "don't:1 so:1"},
		{"Ärger ärger Ж ЖУК", "ärger:2 жук:1", "ärger:1 жук:1"},
		{"caf\xe9 na\xefve \xff\xfe ok", "caf:1 na:1 ve:1 ok:1", "caf:1 na:1 ve:1 ok:1"},
		{"half\xc3", "half:1", "half:1"},
		{"日本語 テスト", "日本語:1 テスト:1", "日本語:1 テスト:1"},
		{"x_y under_score e-mail", "under:1 score:1 mail:1", "under:1 score:1 mail:1"},
		{"٣٤ ½½", "٣٤:1", "٣٤:1"}, // Arabic digits are digits, fractions are not
		{"nul\x00byte", "nul:1 byte:1", "nul:1 byte:1"},
		{"replacement \uFFFD\uFFFD\uFFFD", "replacement:1", "replacement:1"},
	} {
		if got := strings.Join(bag(&Words{}, c.text, data.NewFeatures()), " "); got != c.counts {
			t.Errorf("%q: got %q, want %q", c.text, got, c.counts)
		}
		if got := strings.Join(bag(&Words{Binary: true}, c.text, data.NewFeatures()), " "); got != c.binary {
			t.Errorf("%q, binary: got %q, want %q", c.text, got, c.binary)
		}
	}
}

func TestWordsFrozen(t *testing.T) {
	known := data.NewFeatures("money", "free").Frozen()
	got := bag(&Words{}, "free lunch, free money, lunch", known)
	if want := []string{"money:1", "free:2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if known.Unknown() != 2 {
		t.Errorf("%d words left out, want 2", known.Unknown())
	}
}

func TestWordsHashed(t *testing.T) {
	features := data.HashedFeatures(1) // two numbers for four words: they collide
	var b vec.Buffer
	b.Reset()
	(&Words{Binary: true}).Add(&b, []byte("one two three four"), features)
	for j, v := range b.Row().All() {
		if j > 1 || v != 1 {
			t.Errorf("feature %d has the value %v", j, v)
		}
	}
}

func TestWordsDoNotAllocate(t *testing.T) {
	text := []byte(strings.Repeat("The QUICK brown fox doesn't jump; the dog did. ", 20))
	features := data.NewFeatures()
	var w Words
	var b vec.Buffer
	read := func() {
		b.Reset()
		w.Add(&b, text, features)
		b.Row()
	}
	read()
	if n := testing.AllocsPerRun(20, read); n > 0 {
		t.Errorf("%v allocations for a text of known words", n)
	}
}

func FuzzWords(f *testing.F) {
	f.Add([]byte("Free entry, FREE!"))
	f.Add([]byte("caf\xe9 don’t ''"))
	f.Fuzz(func(t *testing.T, text []byte) {
		features := data.NewFeatures()
		var b vec.Buffer
		b.Reset()
		(&Words{}).Add(&b, text, features)
		if err := b.Row().Check(); err != nil {
			t.Fatal(err)
		}
		for _, name := range features.Names() {
			if !utf8.ValidString(name) || utf8.RuneCountInString(name) < 2 || strings.Trim(name, "'") != name {
				t.Fatalf("the word %q", name)
			}
		}
	})
}

func BenchmarkWords(b *testing.B) {
	text := []byte(strings.Repeat("The QUICK brown fox doesn't jump; the dog did. ", 200))
	features := data.NewFeatures()
	var w Words
	var buf vec.Buffer
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		buf.Reset()
		w.Add(&buf, text, features)
		buf.Row()
	}
}
