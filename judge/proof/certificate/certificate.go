// Package certificate holds proofs about a data set and checks them, by exact
// arithmetic and nothing else. It shares no code with what finds the proofs:
// it needs only the data, as read.
//
// The value of a feature is the shortest decimal that reads back to its
// float64. That is what stands in the file for every number of up to 15
// digits, and for every longer one that a program wrote to be read back; the
// others are counted when a file is read (data.Input.Rounded), and a
// certificate says how many there are. So 0.1 is one tenth.
package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/atomicfile"
)

// Version is the first thing in a certificate.
const Version = "certificate 1"

// What a proof can show.
const (
	Separable    = "separable"        // Weights put every example strictly on its side
	Weakly       = "weakly separable" // not so, but Weights put none on the wrong side and some on the right one
	NotSeparable = "not separable"    // no weights put every example strictly on its side
)

// Certificate is what was found out about a set, with the proofs.
type Certificate struct {
	Version  string   `json:"halfspace"`
	Claim    string   `json:"claim"`
	Data     Data     `json:"data"`
	Bias     bool     `json:"bias"`           // false: planes through the origin
	Maps     []string `json:"maps,omitempty"` // feature maps before the planes
	Proofs   []Proof  `json:"proofs"`
	Checksum string   `json:"checksum"` // of everything else
}

// Data names the set that a certificate is about.
type Data struct {
	Digest   string   `json:"digest"`
	Examples int      `json:"examples"`
	Features int      `json:"features"` // before the maps
	Classes  []string `json:"classes"`  // of two, the first is the positive one
	Rounded  int      `json:"rounded,omitempty"`
	Reading  string   `json:"reading,omitempty"` // the flags it was read with; for people
}

// Proof is one proof: about two classes, or about all of them jointly.
//
// Weights show that classes are separable: with two classes w·x + bias > 0 is
// the first. Jointly there is a vector a class, and the own class's score is
// the largest.
//
// Multipliers show that they are not: positive numbers by which the named rows
// of the one class add up to the same point as those of the other. For two
// classes and a bias, each class's multipliers add up to 1: the point lies in
// the convex hulls of both. Else all multipliers add up to 1. Jointly, each
// row stands with a rival class, and what adds up to zero is Kesler's vectors,
// the row in the place of its class less the row in the place of the rival.
type Proof struct {
	Classes     []string   `json:"classes"`
	Kind        string     `json:"kind"`
	Weights     [][]string `json:"weights,omitempty"`
	Bias        []string   `json:"bias,omitempty"`
	Smallest    string     `json:"smallest,omitempty"` // y(w·x + bias), the least of all examples
	Rows        []int      `json:"rows,omitempty"`     // from 1, where first read
	Labels      []string   `json:"labels,omitempty"`
	Rivals      []string   `json:"rivals,omitempty"`
	Multipliers []string   `json:"multipliers,omitempty"`
}

// Joint reports whether the proof is about more than two classes at a time.
func (p *Proof) Joint() bool { return len(p.Classes) > 2 }

// Describe is the part of a certificate that names a set.
func Describe(s *data.Set) Data {
	return Data{Digest: s.Digest(), Examples: s.Len(), Features: s.Dim(), Classes: s.Classes(), Rounded: s.Input().Rounded}
}

// sum is the checksum of a certificate.
func (c *Certificate) sum() string {
	plain := *c
	plain.Checksum = ""
	text, _ := json.Marshal(plain) // strings and numbers only: it cannot fail
	h := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(h[:])
}

// Seal completes a certificate.
func (c *Certificate) Seal() {
	c.Version = Version
	c.Checksum = c.sum()
}

// Save writes a certificate to a file, whole or not at all.
func (c *Certificate) Save(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		enc.SetEscapeHTML(false)
		return enc.Encode(c)
	})
}

// maxSize is the largest certificate that is read.
const maxSize = 64 << 20

// Load reads a certificate file.
func Load(path string) (*Certificate, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &data.InputError{File: path, What: "the certificate cannot be opened", Do: "check the name; 'halfspace separable DATA -o FILE' makes one", Err: err}
	}
	defer f.Close()
	c, err := Read(f)
	if err != nil {
		return nil, &data.InputError{File: path, What: err.Error(), Do: "'halfspace separable DATA -o FILE' makes a certificate", Err: err}
	}
	return c, nil
}

// Read reads a certificate. It looks at the form only; Verify checks it.
func Read(r io.Reader) (*Certificate, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("a certificate of more than %d MB is not read", maxSize>>20)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	c := &Certificate{}
	if err := dec.Decode(c); err != nil {
		return nil, fmt.Errorf("not a certificate: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("not a certificate: something follows its end")
	}
	if c.Version != Version {
		return nil, fmt.Errorf("this is %q and not %q", c.Version, Version)
	}
	return c, nil
}
