package format

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// A tar archive of text files, such as e-mails: every file is one example, the
// bag of words of its raw bytes. Its label is the name of the folder it lies
// in, or its own name (label "name"), or none (label "none").
//
// Files that lie beside folders, as a readme does, are documentation and not
// examples: an example lies in a folder that holds no other folder with files.
// As an archive is read once from front to back, files that come before the
// folders beside them are told apart only among the first few (lookAhead) of
// the archive; if more come the archive is refused. Also left out are links
// and everything whose name, or folder's name, starts with a dot.
var archiveFormat = Format{
	Name:      "archive",
	Doc:       "a tar of text files in one folder per class, read as bags of words",
	Takes:     []string{"label", "words"},
	Binary:    true,
	Recognise: recogniseTar,
	Open:      openArchive,
}

const (
	maxMember     = 64 << 20 // bytes of one file
	lookAhead     = 16       // files held back before the first is an example
	lookAheadSize = 1 << 20  // bytes held back, but for the last file
	tarBlock      = 512
)

// recogniseTar looks for the mark of modern archives, or for the checksum that
// old ones have too.
func recogniseTar(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	if string(head[257:262]) == "ustar" {
		return true
	}
	want, err := strconv.ParseUint(string(bytes.Trim(head[148:156], " \x00")), 8, 32)
	sum := uint64(8 * ' ') // the checksum's own bytes count as blanks
	for i, c := range head[:tarBlock] {
		if i < 148 || i >= 156 {
			sum += uint64(c)
		}
	}
	return err == nil && sum == want && head[0] != 0
}

func openArchive(src *Source, spec *Spec) (Reader, error) {
	label := spec.Label
	if label == "" && spec.Known != nil && spec.Known.Format == "archive" {
		label = spec.Known.Label
	}
	switch label {
	case "":
		label = "folder"
	case "folder", "name", "none":
	default:
		return nil, src.fail(0, 0, "no label of this name in an archive", label, "use --label folder, name or none")
	}
	if head := src.Head(); !recogniseTar(head) {
		return nil, src.fail(0, 0, "not a tar archive", firstLine(head), "name the format of the file with --format")
	}
	spec.Found.Label = label
	in := &zeroTail{r: src.Reader()}
	return &archive{
		src: src, in: in, tar: tar.NewReader(in),
		label: label, labelled: spec.needsLabels(),
		features: spec.Features, words: wordsOf(spec),
		parents: map[string]bool{}, taken: map[string]bool{},
	}, nil
}

type archive struct {
	src      *Source
	in       *zeroTail
	tar      *tar.Reader
	label    string // folder, name or none
	labelled bool   // files need a label
	features *data.Features
	words    prep.Words
	buf      vec.Buffer
	text     bytes.Buffer

	parents map[string]bool // folders that hold folders with files
	taken   map[string]bool // folders that gave examples
	held    []member        // the first files of the archive
	full    bool            // no more are held back
	err     error           // what ended holding back
}

// member is one file of an archive.
type member struct {
	name string // clean, without a slash in front
	text []byte
}

func (m member) folder() string { return parent(m.name) }

// parent is the folder that name lies in, "" for the outermost.
func parent(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '/'))]
}

func (r *archive) Read(ex *Example) error {
	for {
		m, err := r.next()
		if err != nil {
			return err
		}
		folder := m.folder()
		if r.parents[folder] {
			continue
		}
		r.taken[folder] = true
		*ex = Example{Weight: 1}
		if ex.Label, err = r.labelOf(m); err != nil {
			return err
		}
		r.buf.Reset()
		r.words.Add(&r.buf, m.text, r.features)
		ex.X = r.buf.Row()
		return nil
	}
}

func (r *archive) labelOf(m member) ([]byte, error) {
	label := ""
	switch r.label {
	case "name":
		label = path.Base(m.name)
	case "folder":
		if label = path.Base(m.folder()); label == "." {
			if !r.labelled {
				return nil, nil
			}
			return nil, r.fail("a file outside any folder, which would be its label", m.name, "put the files of each class into a folder of their own, or say --label name")
		}
	default:
		return nil, nil
	}
	if !utf8.ValidString(label) {
		return nil, r.fail("a name that is not UTF-8, to be used as a label", m.name, "rename it before packing")
	}
	return []byte(label), nil
}

// next is the next file, one held back first; its text is valid until the next
// call.
func (r *archive) next() (member, error) {
	if !r.full {
		r.full = true
		r.hold()
	}
	if len(r.held) > 0 {
		m := r.held[0]
		r.held = r.held[1:]
		return m, nil
	}
	if r.err != nil {
		return member{}, r.err
	}
	return r.unpack()
}

// hold reads the first files, so that documentation in front is known as such.
func (r *archive) hold() {
	for size := 0; len(r.held) < lookAhead && size < lookAheadSize; {
		m, err := r.unpack()
		if err != nil {
			r.err = err
			return
		}
		m.text = bytes.Clone(m.text)
		size += len(m.text)
		r.held = append(r.held, m)
	}
}

// unpack reads on to the next file that may be an example.
func (r *archive) unpack() (member, error) {
	for {
		h, err := r.tar.Next()
		if err != nil {
			return member{}, r.ended(err, "")
		}
		name := path.Clean("/" + h.Name)[1:]
		if h.Typeflag == tar.TypeGNUSparse || h.Typeflag == tar.TypeReg && isSparse(h) {
			return member{}, r.fail("a sparse file, which is no text", name, "pack the archive without --sparse")
		}
		if h.Typeflag != tar.TypeReg || name == "" || hidden(name) {
			continue
		}
		if h.Size > maxMember {
			return member{}, r.fail("a file of more than 64 MiB", name, "leave it out of the archive")
		}
		if err := r.note(name); err != nil {
			return member{}, err
		}
		r.text.Reset()
		if _, err := r.text.ReadFrom(r.tar); err != nil {
			return member{}, r.ended(err, name)
		}
		return member{name, r.text.Bytes()}, nil
	}
}

// note marks the folders around that of a file. One of them having given
// examples before means that these were none.
func (r *archive) note(name string) error {
	for f := parent(name); f != ""; f = parent(f) {
		outer := parent(f)
		if r.taken[outer] {
			return r.fail("a folder beside files that were taken for examples", f, "pack the archive so that examples lie in innermost folders only, or folders come before files")
		}
		if r.parents[outer] {
			return nil
		}
		r.parents[outer] = true
	}
	return nil
}

// ended is the error for err from the tar reader, io.EOF at a proper end.
func (r *archive) ended(err error, name string) error {
	var in *data.InputError
	switch {
	case errors.As(err, &in):
		return err
	case err == io.EOF && r.in.zeros >= tarBlock:
		return io.EOF
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		err = r.fail("the archive ends too early", name, "fetch or copy the file again")
	default:
		err = r.fail("the archive is damaged ("+err.Error()+")", name, "fetch or copy the file again")
	}
	return err
}

func (r *archive) fail(what, found, do string) error { return r.src.fail(0, 0, what, found, do) }

func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// hidden reports whether any part of the name starts with a dot.
func hidden(name string) bool { return name[0] == '.' || strings.Contains(name, "/.") }

// zeroTail counts the zero bytes it has read last. An archive ends with at
// least a block of them; one cut short between two files does not, and the tar
// reader would not complain.
type zeroTail struct {
	r     io.Reader
	zeros int
}

func (z *zeroTail) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	if tail := n - len(bytes.TrimRight(p[:n], "\x00")); tail == n {
		z.zeros += n
	} else {
		z.zeros = tail
	}
	return n, err
}
