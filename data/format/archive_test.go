package format

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

// pack is a tar of files given as name, text, name, text …; a name that ends
// in a slash is a folder, one that ends in @ a link.
func pack(t testing.TB, files ...string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for k := 0; k < len(files); k += 2 {
		h := &tar.Header{Name: files[k], Mode: 0o644, Size: int64(len(files[k+1])), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		switch {
		case strings.HasSuffix(h.Name, "/"):
			h.Typeflag = tar.TypeDir
		case strings.HasSuffix(h.Name, "@"):
			h.Typeflag, h.Linkname = tar.TypeSymlink, "elsewhere"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[k+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchive(t *testing.T) {
	mail := []string{"mail/", "", "mail/ham/", "", "mail/ham/1", "see you", "mail/spam/2", "free \xff entry"}
	known := &data.Input{Format: "archive", Words: "counts", Label: "folder"}
	for _, c := range []struct {
		name  string
		files []string
		spec  Spec
		want  string
	}{
		{"folders", mail, Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"names", mail, Spec{Label: "name"}, "1 see:1 you:1\n2 free:1 entry:1"},
		{"no labels", mail, Spec{Label: "none"}, "- see:1 you:1\n- free:1 entry:1"},
		{"binary", []string{"ham/1", "see see"}, Spec{Words: "binary"}, "ham see:1"},
		{"folders outermost", []string{"./ham/1", "see you", "spam/2", "free entry"}, Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"readme last", append(mail[:len(mail):len(mail)], "mail/readme", "read me"), Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"readme first", append([]string{"mail/readme", "read me", "licence", "free for all"}, mail...), Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"hidden and links", append([]string{"mail/ham/.DS_Store", "see you", "mail/.git/x/y", "see you", "mail/ham/0@", ""}, mail...), Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"an empty folder is no folder", append([]string{"mail/ham/new/", ""}, mail...), Spec{}, "ham see:1 you:1\nspam free:1 entry:1"},
		{"empty file", []string{"ham/1", ""}, Spec{}, "ham"},
		{"climbing names", []string{"../../ham/1", "see you"}, Spec{}, "ham see:1 you:1"},
		{"known: loose files", []string{"1", "see you"}, Spec{Known: known}, "- see:1 you:1"},
		{"known words", []string{"ham/1", "see see"}, Spec{Known: &data.Input{Format: "text", Words: "binary"}}, "ham see:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := read("f", pack(t, c.files...), c.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(s); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if in := s.Input(); in.Format != "archive" || in.Label == "" || in.Words == "" {
				t.Errorf("input %+v", in)
			}
		})
	}
}

func TestArchiveRefused(t *testing.T) {
	good := pack(t, "mail/ham/1", "see you", "mail/spam/2", strings.Repeat("free ", 200))
	var late []string
	for i := range lookAhead + 1 {
		late = append(late, fmt.Sprintf("ham/%d", i), "see you")
	}
	late = append(late, "ham/old/1", "see you")
	damaged := []byte(good)
	damaged[bytes.LastIndex(damaged, []byte("mail/spam"))]++ // the checksum no longer fits
	testBad(t, "", "f", []badInput{
		{"loose files", pack(t, "1", "see you"), Spec{}, `f: a file outside any folder, which would be its label, found "1"; put the files of each class into a folder of their own, or say --label name`},
		{"a folder too late", pack(t, late...), Spec{}, `f: a folder beside files that were taken for examples, found "ham/old"; pack the archive so that examples lie in innermost folders only, or folders come before files`},
		{"cut in a file", good[:2000], Spec{}, `f: the archive ends too early, found "mail/spam/2"; fetch or copy the file again`},
		{"cut in a header", good[:1100], Spec{}, `f: the archive ends too early; fetch or copy the file again`},
		{"cut between files", good[:1024], Spec{}, `f: the archive ends too early; fetch or copy the file again`},
		{"damaged", string(damaged), Spec{}, `f: the archive is damaged (archive/tar: invalid tar header); fetch or copy the file again`},
		{"not UTF-8", pack(t, "h\xe9/1", "see you"), Spec{}, `f: a name that is not UTF-8, to be used as a label, found "h\xe9/1"; rename it before packing`},
		{"no files", pack(t, "ham/", ""), Spec{}, `f: no examples in the file; give a file with at least one example`},
		{"no tar", "see you", Spec{Format: "archive"}, `f: not a tar archive, found "see you"; name the format of the file with --format`},
		{"too large", tooLarge(t), Spec{}, `f: a file of more than 64 MiB, found "ham/1"; leave it out of the archive`},
		{"label", good, Spec{Label: "subject"}, `f: no label of this name in an archive, found "subject"; use --label folder, name or none`},
	})
}

// tooLarge is the header of a file of 65 MiB, and no file.
func tooLarge(t *testing.T) string {
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "ham/1", Size: 65 << 20, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRecogniseTar(t *testing.T) {
	head := []byte(pack(t, "ham/1", "see you"))
	if !recogniseTar(head) {
		t.Error("a tar is not recognised")
	}
	// As before 1988: no mark, and the checksum without it.
	old := bytes.Clone(head[:tarBlock])
	clear(old[257:])
	copy(old[148:156], "        ")
	sum := 0
	for _, c := range old {
		sum += int(c)
	}
	copy(old[148:156], fmt.Sprintf("%06o\x00 ", sum))
	if !recogniseTar(old) {
		t.Error("an old tar is not recognised")
	}
	old[0]++
	for name, head := range map[string][]byte{"a wrong checksum": old, "zeros": make([]byte, 1024), "short": head[:500], "text": bytes.Repeat([]byte("see you "), 100)} {
		if recogniseTar(head) {
			t.Errorf("%s is taken for a tar", name)
		}
	}
}

// A model of e-mails also takes lines of text: a text is not a broken archive.
func TestTextForArchiveModel(t *testing.T) {
	known := &data.Input{Format: "archive", Words: "binary", Label: "folder"}
	s, err := read("f", "ham\tsee you see\nspam\tfree entry\n", Spec{Known: known})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(s), "ham see:1 you:1\nspam free:1 entry:1"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The counts are those of the corpora's own documentation.
func TestArchiveCorpora(t *testing.T) {
	if testing.Short() {
		t.Skip("large files")
	}
	read := func(t *testing.T, file string, spec *Spec) *data.Set {
		s, err := ReadFile(context.Background(), publicFile(t, file), spec)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("SpamAssassin", func(t *testing.T) {
		s := read(t, "spamassassin.tar.bz2", &Spec{})
		want := map[string]int{"easy_ham": 2500, "easy_ham_2": 1400, "hard_ham": 250, "spam": 500, "spam_2": 1396}
		if got := counts(s); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		s = s.Relabel(func(c string) string {
			if strings.Contains(c, "ham") {
				return "ham"
			}
			return "spam"
		})
		if got, want := counts(s), map[string]int{"ham": 4150, "spam": 1896}; !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("Ling-Spam", func(t *testing.T) {
		s := read(t, "lingspam_bare.tar.bz2", &Spec{Label: "name"})
		s = s.Relabel(func(c string) string {
			if strings.HasPrefix(c, "spmsg") {
				return "spam"
			}
			return "legitimate"
		})
		if got, want := counts(s), map[string]int{"legitimate": 2412, "spam": 481}; !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("Ling-Spam by folder", func(t *testing.T) {
		s := read(t, "lingspam_bare.tar.bz2", &Spec{})
		if s.Len() != 2893 || len(s.Classes()) != 10 {
			t.Errorf("%d examples of %q", s.Len(), s.Classes())
		}
	})
}

func FuzzArchive(f *testing.F) {
	good := pack(f, "readme", "read me", "mail/ham/1", "see you", "mail/spam/2", "free entry")
	f.Add([]byte(good), true)
	f.Add([]byte(good[:1100]), true)
	f.Add([]byte(good), false)
	f.Add([]byte("see you"), false)
	f.Fuzz(func(t *testing.T, text []byte, mend bool) {
		if mend {
			text = bytes.Clone(text) // the engine owns the original
			mendChecksums(text)
		}
		recogniseTar(text)
		fuzzFormat(t, text, Spec{Format: "archive"}, false)
	})
}

// mendChecksums makes a header of every block that has the mark of one, so
// that changed bytes reach more than the test of the checksum.
func mendChecksums(text []byte) {
	for ; len(text) >= tarBlock; text = text[tarBlock:] {
		if string(text[257:262]) != "ustar" {
			continue
		}
		copy(text[148:156], "        ")
		sum := 0
		for _, c := range text[:tarBlock] {
			sum += int(c)
		}
		copy(text[148:156], fmt.Sprintf("%06o\x00 ", sum))
	}
}
