package format

import "testing"

// A slip anywhere in a small file is named with its place by the format that
// the other lines have.
func TestSlipInAnyLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"libsvm, first line", "1 1:1 x:2\n-1 2:1\n", `f:1:7: the index is not a whole number, found "x:2"; write index:value with an index from 1`},
		{"libsvm, last line", "1 1:1\n-1 2:1 3\n", `f:2:8: expected index:value, found "3"; put a colon between index and value`},
		{"lines, first line", "three: 1 2 x\nfive: 1 2 3\n", `f:1:12: the value is not a number, found "x"; write finite decimal numbers with blanks between them`},
		{"lines, last line", "three: 1 2\nfive: 1 x\n", `f:2:9: the value is not a number, found "x"; write finite decimal numbers with blanks between them`},
		{"neither", "1 1:1 2\n", `f:1:1: the format is not recognised, found "1 1:1 2"; name it with --format bmp|idx|archive|json|lines|libsvm|text|tsv|csv`},
	} {
		_, err := read("f", c.text, Spec{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}
