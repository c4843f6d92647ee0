package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/halfspace-ml/halfspace/learn/network"
)

// inFolder runs the program in a folder of its own with the given files.
func inFolder(t *testing.T, files map[string]string, in string, args ...string) (code int, out, talk string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(in), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A model that no learner of the list made, XOR assembled by hand, is used and
// shown as any other.
func TestModelByHand(t *testing.T) {
	m, err := network.XOR().Model()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"xor.model": file.String(), "new.csv": "x1,x2\n0,0\n0,1\n1,0\n1,1\n"}
	if code, out, talk := inFolder(t, files, "", "predict", "xor.model", "new.csv"); code != 0 || out != "0\n1\n1\n0\n" {
		t.Errorf("predict: exit %d, %q, %q", code, out, talk)
	}
	if code, out, talk := inFolder(t, files, "", "eval", "xor.model", "@xor"); code != 0 || !strings.HasPrefix(out, "errors     0 of 4 wrong") {
		t.Errorf("eval: exit %d, %q, %q", code, out, talk)
	}
	code, out, talk := inFolder(t, files, "", "show", "xor.model")
	if code != 0 || !strings.HasPrefix(out, "learner    by hand\n") || !strings.Contains(out, "hidden     2 units; h is their outputs, step of w·x + w0\n") {
		t.Errorf("show: exit %d, %q, %q", code, out, talk)
	}
	if code, _, talk := inFolder(t, files, "x1,x2,class\n0,0,1\n", "learn", "xor.model"); code != exitInput || !strings.Contains(talk, `no learner "by hand"`) {
		t.Errorf("learn: exit %d, %q", code, talk)
	}
}

// gzipped, zstandard and bzip2ed are compressed text; bzip2 is only read here,
// so that one is given: "1 1:1\n-1 1:2\n" by bzip2 1.0.8.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func zstandard(text string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(text), nil))
}

const bzip2ed = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x16\x6d\x0e\x01\x00\x00\x03\x58\x00\x00\x10\x40\x02\x30\x10\x20\x00\x30\xc0\x06\x9a\x66\x92\xb5\xe3\x05\x2a\xc2\xee\x48\xa7\x0a\x12\x02\xcd\xa1\xc0\x20"

// damage changes one byte, from the end if at is negative.
func damage(s string, at int) string {
	b := []byte(s)
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 0xff
	return string(b)
}

// TestBadInput holds every refusal to its one line, to exit code 3, to a silent
// standard output and to no file left by -o.
func TestBadInput(t *testing.T) {
	two := "1 1:1\n-1 1:2\n"
	tests := []struct {
		name, file, content string
		want                string
	}{
		{"NaN", "a.svm", two + "1 1:nan\n",
			`a.svm:3:5: the value is not a finite number, found "nan"; write a finite decimal number`},
		{"infinity", "a.svm", two + "1 1:1 2:-inf\n",
			`a.svm:3:9: the value is not a finite number, found "-inf"; write a finite decimal number`},
		{"overflow", "a.svm", two + "1 1:1e999\n",
			`a.svm:3:5: the value is too large for a number, found "1e999"; write a finite decimal number`},
		{"hexadecimal", "a.svm", two + "1 1:0x1p3\n",
			`a.svm:3:5: the value is not a number, found "0x1p3"; write a finite decimal number`},
		{"underscore", "a.svm", two + "1 1:1_000\n",
			`a.svm:3:5: the value is not a number, found "1_000"; write a finite decimal number`},
		{"not a number", "a.svm", two + "1 1:one\n",
			`a.svm:3:5: the value is not a number, found "one"; write a finite decimal number`},
		{"no value", "a.svm", two + "1 1:\n",
			`a.svm:3:5: the value is not a number; write a finite decimal number`},
		{"missing colon", "a.svm", two + "1 1:1 2\n",
			`a.svm:3:7: expected index:value, found "2"; put a colon between index and value`},
		{"index 0", "a.svm", two + "1 0:1 1:1\n",
			`a.svm:3:3: the index 0, found "0:1"; indices start at 1; add one to each`},
		{"negative index", "a.svm", two + "1 -3:1\n",
			`a.svm:3:3: a negative index, found "-3:1"; indices start at 1`},
		{"repeated index", "a.svm", two + "1 1:1 2:1 1:5\n",
			`a.svm:3:11: an index that this line has already, found "1:5"; give every index once a line`},
		{"index beyond 2^31", "a.svm", two + "1 2147483649:1\n",
			`a.svm:3:3: an index beyond 2147483648, found "2147483649:1"; renumber the features, or hash their names with --hash BITS from another format`},
		{"index beyond 2^64", "a.svm", two + "1 99999999999999999999:1\n",
			`a.svm:3:3: an index beyond 2147483648, found "99999999999999999999:1"; renumber the features, or hash their names with --hash BITS from another format`},
		{"index with a fraction", "a.svm", two + "1 1.5:1\n",
			`a.svm:3:3: the index is not a whole number, found "1.5:1"; write index:value with an index from 1`},
		{"label not a number", "a.svm", two + "yes 1:1\n",
			`a.svm:3:1: the label is not a number, found "yes"; a LIBSVM label is a finite number`},
		{"label not finite", "a.svm", two + "nan 1:1\n",
			`a.svm:3:1: the label is not a finite number, found "nan"; a LIBSVM label is a finite number`},
		{"ranking data", "a.svm", two + "1 qid:3 1:1\n",
			`a.svm:3:3: a query number: this is ranking data, found "qid:3"; remove the qid: fields to classify`},
		{"label without values", "a.txt", "a: 1 2\nb: 3 4\na:\n",
			`a.txt:3:3: no values after the label, found "a:"; write label: value value …`},
		{"values without a label", "a.txt", "a: 1 2\nb: 3 4\n5 6\n",
			`a.txt:3:2: no colon after the label, found "5"; write label: value value …, or say --label none if there are no labels`},
		{"empty label", "a.txt", "a: 1 2\nb: 3 4\n: 5 6\n",
			`a.txt:3:1: the label is empty; give every example a label, or remove the line`},
		{"ragged lines, short", "a.txt", "a: 1 2\nb: 3\n",
			`a.txt:2:5: 1 value where line 1 has 2; give every line the same number of values`},
		{"ragged lines, long", "a.txt", "a: 1 2\nb: 3 4 5\n",
			`a.txt:2:8: 3 values where line 1 has 2; give every line the same number of values`},
		{"NaN in a line", "a.txt", "a: 1 2\nb: 3 nan\n",
			`a.txt:2:6: the value is not a finite number, found "nan"; write finite decimal numbers with blanks between them`},
		{"ragged rows, short", "a.csv", "1,2,a\n3,b\n",
			`a.csv:2:4: 2 columns where the first row has 3; give every row the same columns, and quote cells that contain the delimiter`},
		{"ragged rows, long", "a.csv", "1,2,a\n3,4,5,b\n",
			`a.csv:2:7: 4 columns where the first row has 3; give every row the same columns, and quote cells that contain the delimiter`},
		{"unclosed quote", "a.csv", "x,class\n1,a\n2,\"b\n3,c\n4,d\n",
			`a.csv:3:3: a quote that is never closed, found "\"b"; close it, or write "" for a quote in a quoted cell`},
		{"text after a quote", "a.csv", "x,class\n1,a\n2,\"b\"c\n",
			`a.csv:3:6: text after a closing quote, found "\"b\"c"; write "" for a quote in a quoted cell`},
		{"NaN in a table", "a.csv", "1,2,a\n3,nan,b\n",
			`a.csv:2:3: a missing value in column 2, found "nan"; use --missing mean, zero or drop`},
		{"infinity in a table", "a.csv", "1,2,a\n3,inf,b\n",
			`a.csv:2:3: the value of column 2 is not a finite number, found "inf"; write a finite decimal number, or use --nominal 2`},
		{"overflow in a table", "a.csv", "1,2,a\n3,-1e400,b\n",
			`a.csv:2:3: the value of column 2 is too large for a number, found "-1e400"; write a finite decimal number, or use --nominal 2`},
		{"hexadecimal in a table", "a.csv", "x,y,class\n" + strings.Repeat("1,2,a\n3,4,b\n", 20) + "1,0x10,a\n",
			`a.csv:42:3: the value of column "y" is not a number, found "0x10"; write a finite decimal number, or use --nominal y`},
		{"underscore in a table", "a.csv", "x,y,class\n" + strings.Repeat("1,2,a\n3,4,b\n", 20) + "1_0,2,a\n",
			`a.csv:42:1: the value of column "x" is not a number, found "1_0"; write a finite decimal number, or use --nominal x`},
		{"missing value", "a.csv", "x,y,class\n1,2,a\n,4,b\n",
			`a.csv:3:1: a missing value in column "x"; use --missing mean, zero or drop`},
		{"missing label", "a.csv", "x,y,class\n1,2,a\n3,4,\n",
			`a.csv:3:5: the label is missing; give every example a label, or remove the row`},
		{"two columns of one name", "a.csv", "x,x,class\n1,2,a\n3,4,b\n",
			`a.csv:1:3: columns 1 and 2 have the same name "x", found "x"; rename one of them; if this row is no header, use --header no`},
		{"header only", "a.csv", "x,y,class\n",
			`a.csv:1:1: no rows after the header; give a file with at least one example`},
		{"no label column", "a.csv", "1.5,2.5\n3.5,4.5\n",
			`a.csv:1:1: no column looks like a class; use --label NAME or NUMBER, or --label none`},
		{"JSON that ends early", "a.jsonl", "{\"label\": 1, \"x\": [1]}\n{\"label\": 2, \"x\": [\n",
			`a.jsonl:2:19: a list that does not end in this line, found "["; write one whole object a line`},
		{"JSON of another width", "a.jsonl", "{\"label\": 1, \"x\": [1]}\n{\"label\": 2, \"x\": [1, 2]}\n",
			`a.jsonl:2:19: 2 values where line 1 has 1; give every line the same number of values`},
		{"JSON infinity", "a.jsonl", "{\"label\": 1, \"x\": [1e999]}\n",
			`a.jsonl:1:20: the value is too large for a number, found "1e999"; write a finite decimal number`},
		{"text without a tab", "a.tsv", "spam\tbuy it now\nham\tsee you there\nno tab in here\n",
			`a.tsv:3:15: 1 column where the first row has 2; give every row the same columns, and quote cells that contain the delimiter`},
		{"NUL", "a.svm", two + "1 1:1\x00\n",
			`a.svm:3:6: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?`},
		{"NUL at once", "a", "\x00\x01\x02",
			`a:1:1: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?`},
		{"UTF-16", "a.csv", "\xff\xfe1\x00,\x00a\x00\n\x00",
			`a.csv:1:1: UTF-16 text, found "\xff\xfe"; convert the file, e.g. iconv -f utf-16 -t utf-8`},
		{"UTF-16, big-endian", "a.csv", "\xfe\xff\x001\x00,\x00a\x00\n",
			`a.csv:1:1: UTF-16 text, found "\xfe\xff"; convert the file, e.g. iconv -f utf-16 -t utf-8`},
		{"Latin-1", "a.csv", "x,class\n1,caf\xe9\n2,tea\n",
			`a.csv:2:6: not UTF-8 text, found "\xe9"; convert the file, e.g. iconv -f latin1 -t utf-8`},
		{"truncated gzip", "a.gz", gzipped(two)[:25],
			`a.gz: the compressed data ends too early (unexpected EOF); fetch or copy the file again`},
		{"damaged gzip", "a.gz", damage(gzipped(strings.Repeat(two, 100)), -6),
			`a.gz:201: the compressed data is damaged (gzip: invalid checksum); fetch or copy the file again`},
		{"gzip header only", "a.gz", gzipped(two)[:5],
			`a.gz: the compressed data ends too early (unexpected EOF); fetch or copy the file again`},
		{"truncated bzip2", "a.bz2", bzip2ed[:30],
			`a.bz2: the compressed data is damaged (bzip2 data invalid: block checksum mismatch); fetch or copy the file again`},
		{"damaged bzip2", "a.bz2", damage(bzip2ed, 12),
			`a.bz2:3: the compressed data is damaged (bzip2 data invalid: block checksum mismatch); fetch or copy the file again`},
		{"truncated zstd", "a.zst", zstandard(two)[:12],
			`a.zst: the compressed data ends too early (unexpected EOF); fetch or copy the file again`},
		{"damaged zstd", "a.zst", damage(zstandard(strings.Repeat(two, 100)), -1),
			`a.zst:201: the compressed data is damaged (CRC check failed); fetch or copy the file again`},
		{"empty gzip", "a.gz", gzipped(""),
			`a.gz: the file is empty; give a file with at least one example`},
		{"empty", "a.csv", "",
			`a.csv: the file is empty; give a file with at least one example`},
		{"blank lines only", "a.csv", "\n  \n\r\n",
			`a.csv: no examples in the file; give a file with at least one example`},
		{"comments only", "a.svm", "# nothing\n# here\n",
			`a.svm: no examples in the file; give a file with at least one example`},
		{"byte-order mark only", "a.csv", "\xef\xbb\xbf",
			`a.csv: the file is empty; give a file with at least one example`},
		{"one class only", "a.svm", "1 1:1\n1 1:2\n",
			`a.svm: one class only: every example is of class "1"; a classifier needs examples of two classes or more`},
		{"a half-labelled file", "a.svm", two + "1:3\n",
			`a.svm:3:1: no label before the features, found "1:3"; write label index:value …, or say --label none if there are no labels`},
		{"a damaged bitmap", "a.bmp", "BM\x00\x00\x00\x00",
			`a.bmp:1:3: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?`},
		{"a bare word", "a.txt", "hello\n",
			`a.txt:1:1: the format is not recognised, found "hello"; name it with --format bmp|idx|archive|json|lines|libsvm|text|tsv|csv`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, out, talk := inFolder(t, map[string]string{test.file: test.content}, "", "fit", test.file, "-o", "out.model")
			if talk != "halfspace: "+test.want+"\n" {
				t.Errorf("got  %swant halfspace: %s", talk, test.want)
			}
			refusedWith3(t, code, out)
		})
	}
}

func refusedWith3(t *testing.T, code int, out string) {
	t.Helper()
	if code != 3 || out != "" {
		t.Errorf("exit code %d with %q on standard output, want 3 with nothing", code, out)
	}
	left, err := filepath.Glob("*out.model*")
	if err != nil || len(left) > 0 {
		t.Errorf("files were left: %v %v", left, err)
	}
}

// TestBadPlaces is about what is no file of examples at all.
func TestBadPlaces(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a directory", ".", ".: this is a directory; name a file in it"},
		{"a missing file", "no.csv", "no.csv: no such file; check the name; built-in sets start with @ (see 'halfspace data')"},
		{"a file for a folder", "a.csv/b.csv", "a.csv/b.csv: cannot be opened; check the name and the permissions"},
		{"nothing on standard input", "-", "standard input: the file is empty; give a file with at least one example"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, out, talk := inFolder(t, map[string]string{"a.csv": "1,a\n2,b\n"}, "", "fit", test.data, "-o", "out.model")
			if talk != "halfspace: "+test.want+"\n" {
				t.Errorf("got  %swant halfspace: %s", talk, test.want)
			}
			refusedWith3(t, code, out)
		})
	}
}

// TestLongLine refuses a line beyond 64 MiB without keeping it.
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 64 MiB")
	}
	long := "1 1:1\n1 " + strings.Repeat(" ", 64<<20) + "1:1\n"
	code, out, talk := inFolder(t, nil, long, "fit", "-", "--format", "libsvm", "-o", "out.model")
	if want := "halfspace: standard input:2:1: the line is longer than 64 MiB; check that this is a text file with one example a line\n"; talk != want {
		t.Errorf("got  %swant %s", talk, want)
	}
	refusedWith3(t, code, out)
}

// TestAccepted is what looks odd and is fine: all are the same two examples.
func TestAccepted(t *testing.T) {
	tests := []struct{ name, file, content string }{
		{"plain", "a.svm", "1 1:1 2:2\n-1 1:3 2:4\n"},
		{"unsorted", "a.svm", "1 2:2 1:1\n-1 1:3 2:4\n"},
		{"blank lines", "a.svm", "\n1 1:1 2:2\n\n  \n-1 1:3 2:4\n\n"},
		{"CR LF", "a.svm", "1 1:1 2:2\r\n-1 1:3 2:4\r\n"},
		{"no last newline", "a.svm", "1 1:1 2:2\n-1 1:3 2:4"},
		{"comments", "a.svm", "# two examples\n1 1:1 2:2 # the first\n-1 1:3 2:4\n"},
		{"byte-order mark", "a.svm", "\xef\xbb\xbf1 1:1 2:2\n-1 1:3 2:4\n"},
		{"labels written differently", "a.svm", "+1 1:1 2:2\n-1.0 1:3 2:4\n"},
		{"gzip", "a", gzipped("1 1:1 2:2\n-1 1:3 2:4\n")},
		{"zstd", "a", zstandard("1 1:1 2:2\n-1 1:3 2:4\n")},
		{"gzip twice", "a", gzipped(gzipped("1 1:1 2:2\n-1 1:3 2:4\n"))},
		{"a table", "a.csv", "1,2,1\n3,4,-1\n"},
		{"a table with all of it", "a.csv", "\xef\xbb\xbfx1,x2,class\r\n\r\n# comment\r\n1,2,1\r\n\r\n\"3\",4,-1"},
		{"lines", "a.txt", "1: 1 2 \r\n\r\n-1: 3 4 \r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, out, talk := inFolder(t, map[string]string{test.file: test.content}, "", "convert", test.file, "-", "--to", "libsvm")
			if want := "1 1:1 2:2\n-1 1:3 2:4\n"; code != 0 || out != want || talk != "" {
				t.Errorf("exit code %d, %q and %q, want %q", code, out, talk, want)
			}
		})
	}
}
