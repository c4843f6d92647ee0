package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/proof"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
)

func read(t testing.TB, text string) *data.Set {
	t.Helper()
	if sample.Is(text) {
		s, err := sample.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	src, err := format.NewSource("text", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := format.ReadSet(context.Background(), src, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func certify(t testing.TB, s *data.Set, opt proof.Options) *certificate.Certificate {
	t.Helper()
	a, err := proof.Classes(context.Background(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Certificate(s, opt, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clone is a copy by way of the file.
func clone(t testing.TB, c *certificate.Certificate) *certificate.Certificate {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	d, err := certificate.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tenths is touching in decimals only: 0.1 + 0.2 = 0.3 there, and not in
// float64.
const tenths = "a: 0.1 0.2\na: 0.2 0.1\nb: 0.15 0.15\nb: 0.3 0.3\n"

var cases = []struct {
	name, data string
	opt        proof.Options
	claim      string
}{
	{"points00", "@points00", proof.Options{}, certificate.Separable},
	{"xor", "@xor", proof.Options{}, certificate.NotSeparable},
	{"weak", "@weak", proof.Options{NoBias: true}, certificate.Weakly},
	{"weak with a bias", "@weak", proof.Options{}, certificate.Separable},
	{"iris", "@iris", proof.Options{}, certificate.NotSeparable},
	{"xor with products", "@xor", proof.Options{Maps: []string{"products"}}, certificate.Separable},
	{"tenths", tenths, proof.Options{}, certificate.Weakly},
	{"three corners", "a: 0 0\nb: 5 0\nc: 0 5\nc: 1 6\n", proof.Options{}, certificate.Separable},
}

func TestVerify(t *testing.T) {
	for _, k := range cases {
		s := read(t, k.data)
		c := certify(t, s, k.opt)
		if c.Claim != k.claim {
			t.Errorf("%s: %s, want %s", k.name, c.Claim, k.claim)
		}
		if err := clone(t, c).Verify(s); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// Every change to a certificate is refused, and every one that matters also
// after the checksum has been made right again.
func TestTamperedIsRefused(t *testing.T) {
	for _, k := range cases {
		s := read(t, k.data)
		good := certify(t, s, k.opt)
		tamper := func(what string, change func(c *certificate.Certificate)) {
			t.Helper()
			c := clone(t, good)
			change(c)
			if c.Verify(s) == nil {
				t.Errorf("%s: accepted with %s changed", k.name, what)
			}
			c.Seal()
			if c.Verify(s) == nil {
				t.Errorf("%s: accepted with %s changed and sealed", k.name, what)
			}
		}
		tamper("digest", func(c *certificate.Certificate) { c.Data.Digest = strings.Replace(c.Data.Digest, "0", "1", 1) })
		tamper("examples", func(c *certificate.Certificate) { c.Data.Examples++ })
		tamper("features", func(c *certificate.Certificate) { c.Data.Features++ })
		tamper("classes", func(c *certificate.Certificate) {
			c.Data.Classes = slices.Clone(c.Data.Classes)
			slices.Reverse(c.Data.Classes)
		})
		tamper("rounded", func(c *certificate.Certificate) { c.Data.Rounded++ })
		tamper("no proofs", func(c *certificate.Certificate) { c.Proofs = nil })
		for _, claim := range []string{certificate.Separable, certificate.NotSeparable, certificate.Weakly, "undecided", ""} {
			if claim != good.Claim {
				tamper("claim "+claim, func(c *certificate.Certificate) { c.Claim = claim })
			}
		}
		for n := range good.Proofs {
			tamperProof(t, k.name, s, good, n, tamper)
		}
	}
}

func tamperProof(t *testing.T, name string, s *data.Set, good *certificate.Certificate, n int, tamper func(string, func(*certificate.Certificate))) {
	p := good.Proofs[n]
	each := func(what string, change func(p *certificate.Proof)) {
		tamper(fmt.Sprintf("%s of proof %d", what, n+1), func(c *certificate.Certificate) { change(&c.Proofs[n]) })
	}
	for i, m := range p.Multipliers {
		for _, other := range []string{"0", "-" + m, add(m, 1, 1000), add(m, -1, 1<<40), "1/0", "", "x", "1e9999"} {
			each(fmt.Sprintf("multiplier %d to %q", i, other), func(p *certificate.Proof) { p.Multipliers[i] = other })
		}
		for row := 0; row <= s.Len()+1; row++ {
			if row != p.Rows[i] && !same(s, row, p.Rows[i]) {
				each(fmt.Sprintf("row %d to %d", i, row), func(p *certificate.Proof) { p.Rows[i] = row })
			}
		}
		for _, label := range append(slices.Clone(s.Classes()), "", "other") {
			if label != p.Labels[i] {
				each(fmt.Sprintf("label %d to %q", i, label), func(p *certificate.Proof) { p.Labels[i] = label })
			}
		}
		each("a row less", func(p *certificate.Proof) {
			p.Rows, p.Labels, p.Multipliers = slices.Delete(p.Rows, i, i+1), slices.Delete(p.Labels, i, i+1), slices.Delete(p.Multipliers, i, i+1)
		})
		each("a row twice", func(p *certificate.Proof) {
			half := add(m, 0, 1)
			p.Rows, p.Labels, p.Multipliers = append(p.Rows, p.Rows[i]), append(p.Labels, p.Labels[i]), append(p.Multipliers, half)
		})
	}
	for _, kind := range []string{certificate.Separable, certificate.NotSeparable, certificate.Weakly, ""} {
		if kind != p.Kind {
			each("kind "+kind, func(p *certificate.Proof) { p.Kind = kind })
		}
	}
	if len(p.Weights) > 0 {
		each("smallest", func(p *certificate.Proof) { p.Smallest = add(p.Smallest, 1, 1<<60) })
		each("signs", func(p *certificate.Proof) {
			for k := range p.Weights {
				for j, w := range p.Weights[k] {
					p.Weights[k][j] = "-" + w
				}
				p.Bias[k] = "-" + p.Bias[k]
			}
		})
		each("a weight less", func(p *certificate.Proof) { p.Weights[0] = p.Weights[0][1:] })
		each("bias", func(p *certificate.Proof) { p.Bias[0] = add(p.Bias[0], 1000, 1) })
	}
}

// same reports whether two rows are the same point of the same class.
func same(s *data.Set, a, b int) bool {
	if a < 1 || a > s.Len() || s.Class(a-1) != s.Class(b-1) {
		return false
	}
	x, y := s.Row(a-1), s.Row(b-1)
	if x.Len() != y.Len() {
		return false
	}
	for k := range x.Len() {
		i, v := x.At(k)
		j, w := y.At(k)
		if i != j || v != w {
			return false
		}
	}
	return true
}

func add(s string, num, den int64) string {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return "1/3"
	}
	return r.Add(r, big.NewRat(num, den)).RatString()
}

// Other data than that of the certificate is refused: a value, a label, the
// order, a row less.
func TestOtherDataIsRefused(t *testing.T) {
	const text = "a: 1 2\na: 3 4\nb: 5 0\nb: 6 1\n"
	c := certify(t, read(t, text), proof.Options{})
	for _, other := range []string{
		"a: 1 2\na: 3 4.5\nb: 5 0\nb: 6 1\n", "a: 1 2\nb: 3 4\nb: 5 0\nb: 6 1\n", "a: 3 4\na: 1 2\nb: 5 0\nb: 6 1\n",
		"a: 1 2\na: 3 4\nb: 5 0\n", "b: 5 0\nb: 6 1\na: 1 2\na: 3 4\n", "a: 1 2\na: 3 4\nc: 5 0\nc: 6 1\n",
	} {
		if c.Verify(read(t, other)) == nil {
			t.Errorf("accepted about %q", other)
		}
	}
}

// A value that loses digits when it is read is counted, and the certificate
// tells of it.
func TestRoundedValuesAreTold(t *testing.T) {
	s := read(t, "a: 1.00000000000000000001\nb: 2\n")
	c := certify(t, s, proof.Options{})
	if c.Data.Rounded != 1 {
		t.Errorf("rounded is %d, want 1", c.Data.Rounded)
	}
	if err := c.Verify(s); err != nil {
		t.Error(err)
	}
	if c.Verify(read(t, "a: 1\nb: 2\n")) == nil {
		t.Error("accepted about data in which no value is rounded")
	}
}

// Numbers made to cost time or memory are refused before they do.
func TestHostileNumbers(t *testing.T) {
	s := read(t, "@xor")
	long := strings.Repeat("9", 200_000)
	for _, m := range []string{"1e999999999", "1e-999999999", long, "1/" + long, long + "/" + long, "0x10", "1_000", "+1", "1.", ".5e", "NaN", "Inf", "1e", "--1", "1/-2"} {
		c := certify(t, s, proof.Options{})
		c.Proofs[0].Multipliers[0] = m
		c.Seal()
		if c.Verify(s) == nil {
			t.Errorf("accepted the multiplier %.20s", m)
		}
		c = certify(t, read(t, "@points00"), proof.Options{})
		c.Proofs[0].Weights[0][0] = m
		c.Seal()
		if c.Verify(read(t, "@points00")) == nil {
			t.Errorf("accepted the weight %.20s", m)
		}
	}
}

// FuzzVerify tries any certificate on three sets of which the truth is known.
func FuzzVerify(f *testing.F) {
	truth := []struct {
		set    *data.Set
		bias   string // with a bias
		origin string // through the origin
	}{
		{read(f, "@xor"), certificate.NotSeparable, certificate.NotSeparable},
		{read(f, "@points00"), certificate.Separable, certificate.Separable},
		{read(f, "@weak"), certificate.Separable, certificate.Weakly},
		{read(f, tenths), certificate.Weakly, certificate.NotSeparable},
	}
	for _, k := range truth {
		for _, noBias := range []bool{false, true} {
			text, err := json.Marshal(certify(f, k.set, proof.Options{NoBias: noBias}))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := certificate.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, k := range truth {
			c.Data, c.Maps = certificate.Describe(k.set), nil
			c.Seal()
			want := k.bias
			if !c.Bias {
				want = k.origin
			}
			// What is weakly separable is, of course, not separable.
			if c.Verify(k.set) == nil && c.Claim != want && !(want == certificate.Weakly && c.Claim == certificate.NotSeparable) {
				t.Errorf("accepted %q about a set that is %s: %s", c.Claim, want, text)
			}
		}
	})
}
