package near

import (
	"strings"
	"testing"
)

func TestAdvice(t *testing.T) {
	names := []string{"and", "nand", "iris", "points00", "xor", "xor-cloud", "digits35", "digits35-test"}
	for _, c := range []struct{ name, want string }{
		{"point00", "did you mean points00?"},
		{"Iris", "did you mean iris?"},
		{"xor-cluod", "did you mean xor-cloud?"},
		{"digits", "did you mean digits35 or digits35-test?"},
		{"zebra", "sets are and, nand, iris, points00, xor, xor-cloud, digits35, digits35-test"},
		{"", "sets are and, nand, iris, points00, xor, xor-cloud, digits35, digits35-test"},
		{strings.Repeat("and", 1000), "sets are and, nand, iris, points00, xor, xor-cloud, digits35, digits35-test"},
	} {
		if got := Advice(c.name, "sets", names); got != c.want {
			t.Errorf("%.20q: %s; want %s", c.name, got, c.want)
		}
	}
}
