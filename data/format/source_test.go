package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/halfspace-ml/halfspace/data"
)

// plainText is what the compressed samples hold.
const plainText = "1 1:2\n-1 2:3\n"

// bzip2Text is plainText written by bzip2 1.0.8; Go has no writer.
const bzip2Text = "BZh91AY&SY\xb6\xc3\x9e\xae\x00\x00\x02\xd8\x00\x00\x10\x40\x02\x38\x10\x20\x00\x21\xa6\x8d\xa4\x21\x80\x80\xb9\x05\x6e\x5f\x17\x72\x45\x38\x50\x90\xb6\xc3\x9e\xae"

func zstdText(t testing.TB, text string) string {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return out.String()
}

func TestSourceCompression(t *testing.T) {
	gz := string(zip([]byte(plainText)))
	for name, content := range map[string]string{
		"plain":             plainText,
		"gzip":              gz,
		"gzip in parts":     string(zip([]byte(plainText[:4]))) + string(zip([]byte(plainText[4:]))),
		"bzip2":             bzip2Text,
		"zstd":              zstdText(t, plainText),
		"gzip in gzip":      string(zip([]byte(gz))),
		"bzip2 in gzip":     string(zip([]byte(bzip2Text))),
		"gzip in zstd":      zstdText(t, gz),
		"mark within gzip":  string(zip([]byte("\ufeff" + plainText))),
		"mark before plain": "\ufeff" + plainText,
	} {
		s, err := read("t", content, Spec{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := dump(s); got != "1 0:2\n-1 1:3\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestSourceCompressedTooOften(t *testing.T) {
	content := []byte(plainText)
	for range mostCompressed + 1 {
		content = zip(content)
	}
	const want = "t: compressed more than 3 times; decompress the file first"
	if _, err := read("t", content, Spec{}); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// However a compressed file is cut, or whichever byte is damaged, reading it
// must not end well with other examples.
func TestSourceDamage(t *testing.T) {
	text := strings.Repeat(plainText, 50)
	for name, content := range map[string]string{"gzip": string(zip([]byte(text))), "bzip2": bzip2Text, "zstd": zstdText(t, text)} {
		whole, err := read("t", content, Spec{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, at int, content []byte) {
			s, err := read("t", content, Spec{Format: "libsvm"})
			var in *data.InputError
			if err == nil && s.Digest() != whole.Digest() {
				t.Errorf("%s %s at %d is read as other examples", name, what, at)
			} else if err != nil && (!errors.As(err, &in) || in.File != "t") {
				t.Errorf("%s %s at %d: %T %v", name, what, at, err, err)
			} else if err == nil && what == "cut" {
				t.Errorf("%s cut at %d of %d is taken for whole", name, at, len(content))
			}
		}
		for i := range len(content) {
			check("cut", i, []byte(content[:i]))
			damaged := []byte(content)
			damaged[i] ^= 0x55
			check("damaged", i, damaged)
		}
	}
}

func TestSourceDamageMessages(t *testing.T) {
	const again = "; fetch or copy the file again"
	gz := string(zip([]byte(plainText)))
	broken := []byte(gz)
	broken[len(broken)-5] ^= 1 // in the checksum
	testBad(t, "libsvm", "t", []badInput{
		{"cut gzip header", gz[:5], Spec{}, "t: the compressed data ends too early (unexpected EOF)" + again},
		{"cut gzip", gz[:len(gz)-9], Spec{}, "t:3: the compressed data ends too early (unexpected EOF)" + again},
		{"gzip checksum", string(broken), Spec{}, "t:3: the compressed data is damaged (gzip: invalid checksum)" + again},
		{"cut bzip2", bzip2Text[:len(bzip2Text)-2], Spec{}, "t:3: the compressed data ends too early (unexpected EOF)" + again},
		{"gzip method", "\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00", Spec{}, "t: the compressed data is damaged (gzip: invalid header)" + again},
	})
}

func TestSourceLines(t *testing.T) {
	tests := []struct{ content, want string }{
		{"a\nb\n", "1:a|2:b|"},
		{"a\nb", "1:a|2:b|"},
		{"a\r\n\r\nb\r\n", "1:a|2:|3:b|"},
		{"a\r", "1:a|"},
		{"\n\n", "1:|2:|"},
		{"\ufeffa\n\ufeffb\n", "1:a|"}, // then an error
		{"a\rb\n", "1:a\rb|"},
		{"a\rb\r", ""}, // an error: no line feed at all
		{"", ""},
		{"\ufeff", ""},
	}
	for _, test := range tests {
		src, err := NewSource("t", strings.NewReader(test.content))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for {
			line, err := src.Line()
			if err != nil {
				break
			}
			got.WriteString(string(rune('0'+src.LineNumber())) + ":" + string(line) + "|")
		}
		if got.String() != test.want {
			t.Errorf("%q: got %q, want %q", test.content, got.String(), test.want)
		}
	}
}

// letters is n bytes of x, made as they are read.
func letters(n int64) io.Reader { return io.LimitReader(repeat('x'), n) }

type repeat byte

func (c repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestSourceLongLines(t *testing.T) {
	src, err := NewSource("t", io.MultiReader(letters(1<<20), strings.NewReader("\r\nshort\n"), letters(MaxLine+1)))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := src.Line(); err != nil || len(line) != 1<<20 {
		t.Errorf("a line of %d bytes, %v; want 1 MiB", len(line), err)
	}
	if line, err := src.Line(); err != nil || string(line) != "short" {
		t.Errorf("then %q, %v", line, err)
	}
	_, err = src.Line()
	const want = "t:3:1: the line is longer than 64 MiB; check that this is a text file with one example a line"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestSourceNotText(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"UTF-16", "\xff\xfe1\x00 \x00", `t:1:1: UTF-16 text, found "\xff\xfe"; convert the file, e.g. iconv -f utf-16 -t utf-8`},
		{"UTF-16, big-endian", "\xfe\xff\x001\x00 ", `t:1:1: UTF-16 text, found "\xfe\xff"; convert the file, e.g. iconv -f utf-16 -t utf-8`},
		{"binary", "%PDF\n12\x003", "t:2:3: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?"},
		{"empty", "", "t: the file is empty; give a file with at least one example"},
		{"only a mark", "\ufeff", "t: the file is empty; give a file with at least one example"},
		{"empty gzip", string(zip(nil)), "t: the file is empty; give a file with at least one example"},
	} {
		if _, err := read("t", test.content, Spec{}); err == nil || err.Error() != test.want {
			t.Errorf("%s: got  %v\nwant %s", test.name, err, test.want)
		}
	}
}

func TestSourceLatin1(t *testing.T) {
	const content = "gr\xfcn\n"
	src, _ := NewSource("t", strings.NewReader(content))
	_, err := src.Line()
	if want := `t:1:3: not UTF-8 text, found "\xfc"; convert the file, e.g. iconv -f latin1 -t utf-8`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	src, _ = NewSource("t", strings.NewReader(content))
	src.Bytes = true
	if line, err := src.Line(); err != nil || string(line) != "gr\xfcn" {
		t.Errorf("as bytes: %q, %v", line, err)
	}
}

func TestSourceFiles(t *testing.T) {
	dir := writeFolder(t, map[string][]byte{"good": []byte(plainText), "empty": nil, "secret": []byte(plainText)})
	in := func(name string) string { return filepath.Join(dir, name) }
	tests := []struct{ path, want string }{
		{dir, dir + ": this is a directory; name a file in it"},
		{in("none"), in("none") + ": no such file; check the name; built-in sets start with @ (see 'halfspace data')"},
		{in("empty"), in("empty") + ": the file is empty; give a file with at least one example"},
	}
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		os.Chmod(in("secret"), 0)
		tests = append(tests, struct{ path, want string }{in("secret"), in("secret") + ": permission denied; make the file readable"})
	}
	for _, test := range tests {
		if _, err := ReadFile(context.Background(), test.path, &Spec{}); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
	if _, err := OpenFile(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
	src, err := OpenFile(in("good"))
	if err != nil {
		t.Fatal(err)
	}
	if src.Size != int64(len(plainText)) || string(src.Head()) != plainText || src.Done() != src.Size {
		t.Errorf("size %d, head %q, done %d", src.Size, src.Head(), src.Done())
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// failing gives text, then an error that is not the end.
type failing struct{ text io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if err == io.EOF {
		err = errors.New("disk on fire")
	}
	return n, err
}

func TestSourceReadError(t *testing.T) {
	for text, want := range map[string]string{
		"":        "t: cannot be read: disk on fire; check the file and the disk",
		plainText: "t:3: cannot be read: disk on fire; check the file and the disk",
	} {
		src, err := NewSource("t", failing{strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSet(context.Background(), src, &Spec{}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestSampleLines(t *testing.T) {
	long := strings.Repeat("1:1 ", headSize)
	for _, test := range []struct {
		head string
		want int // lines
	}{
		{"a\n\n # b\n#c\nd\r\n", 2},
		{("a\n" + long)[:headSize], 1},
		{("# a\n" + long)[:headSize], 1},
		{long[:headSize], 1},
		{strings.Repeat("x", headSize), 0},
	} {
		n := 0
		for line := range sampleLines([]byte(test.head)) {
			if n++; len(line) == 0 {
				t.Error("an empty line sampled")
			}
		}
		if n != test.want {
			t.Errorf("%.20q: %d lines sampled, want %d", test.head, n, test.want)
		}
	}
}
