package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/metric"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// drawn is the figures with a golden file, testdata/figures/NAME.svg. A name is
// that of a figure, with more after a dash. Look at a picture before it becomes
// golden.
var drawn = []struct{ name, args string }{
	{"boundary", "@points00 --rate 0.01 --init 1,1,-1"},
	{"boundary-dark", "@handout --learner fisher --theme dark"},
	{"boundary-line", "line.txt --epochs 100"},
	{"boundary-iris", "@iris --learner fisher"},
	{"boundary-features", "@iris --learner least-squares --features petal_length_cm,petal_width_cm --size paper"},
	{"boundary-density", "@gauss:n=6000 --learner least-squares"},
	{"boundary-curved", "@rings --map products --epochs 100 --size slide"},
	{"steps", "@points00 --rate 0.01 --init 1,1,-1"},
	{"steps-many", "@iris --epochs 20 --per loop"},
	{"loss", "@handout --learner perceptron-batch --init -0.5,0,1"},
	{"rates", "@handout --learner perceptron-batch --init -0.5,0,1"},
	{"cost", "@handout --learner perceptron-batch --sum --tie right --init -0.5,0,1"},
	{"solution", "@handout --learner perceptron-batch --sum --tie right --init -0.5,0,1"},
	{"solution-line", "line.txt --epochs 100"},
	{"margin", "@handout --learner fisher"},
	{"separators", "@handout"},
	{"separators-learners", "@handout --learners perceptron,averaged,least-squares,fisher"},
	{"projection", "@handout --learner fisher"},
	{"projection-digits", "@digits35 --learner fisher --test @digits35-test"},
	{"loops", "@digits35 --no-bias --tie positive --test @digits35-test --epochs 100"},
	{"first", "@digits35 --no-bias --tie positive --test @digits35-test --epochs 10"},
	{"digits", "@digits35"},
	{"weights", "@digits35 --no-bias"},
	{"weights-bars", "@iris --learner fisher"},
	{"regions", "@iris --learner least-squares --features petal_length_cm,petal_width_cm"},
	{"network", "@xor --learner network --hidden 2 --seed 3"},
	{"gates", ""},
	{"roc", "@gauss"},
	{"pr", "@gauss"},
	{"calibration", "@gauss --learner least-squares"},
}

// plotted runs plot in a folder with line.txt, and returns the file it wrote.
func plotted(t *testing.T, name, args, extension string) []byte {
	t.Helper()
	kind, _, _ := strings.Cut(name, "-")
	dir := t.TempDir()
	line := filepath.Join(dir, "line.txt")
	if err := os.WriteFile(line, []byte("a: 1\na: 2\nb: 5\nb: 6\nb: 2.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "figure."+extension)
	all := append([]string{"plot"}, strings.Fields(strings.Replace(args, "line.txt", line, 1))...)
	var talk bytes.Buffer
	if code := run(context.Background(), append(all, "--figure", kind, "-o", out), strings.NewReader(""), io.Discard, &talk); code != 0 {
		t.Fatalf("plot %s --figure %s: exit %d: %s", args, kind, code, talk.String())
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFigures(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range drawn {
		kind, _, _ := strings.Cut(d.name, "-")
		seen[kind] = true
		t.Run(d.name, func(t *testing.T) {
			got := plotted(t, d.name, d.args, "svg")
			if len(got) > 1e6 {
				t.Errorf("%d bytes; a picture stays below a million", len(got))
			}
			checkSVG(t, got)
			if again := plotted(t, d.name, d.args, "svg"); !bytes.Equal(got, again) {
				t.Error("drawn twice, two pictures")
			}
			golden := filepath.Join("testdata", "figures", d.name+".svg")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the picture changed; run 'make update', and look at it\n%s", firstDifference(string(want), string(got)))
			}
		})
	}
	for _, name := range figure.Names() {
		if !seen[name] {
			t.Errorf("the figure %s has no golden picture; add a line to drawn", name)
		}
	}
}

// letter is one text of a picture with the room it takes.
type letter struct {
	s                     string
	left, right, top, low float64
	frame                 int // of an animation; 0: always there
}

// checkSVG reads a picture as XML and refuses text that leaves the page or lies
// on other text. Widths are those of a usual font, 0.52 of the size a letter.
func checkSVG(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var texts []letter
	var now *letter
	var width, height float64
	frame, inFrame := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			a := map[string]string{}
			for _, attr := range e.Attr {
				a[attr.Name.Local] = attr.Value
			}
			switch e.Name.Local {
			case "svg":
				width, height = float(a["width"]), float(a["height"])
			case "g":
				if a["display"] != "" {
					frame++
					inFrame = frame
				}
			case "text":
				now = &letter{frame: inFrame}
				now.place(a)
			}
		case xml.CharData:
			if now != nil {
				now.s += string(e)
			}
		case xml.EndElement:
			switch {
			case e.Name.Local == "text":
				texts = append(texts, *now)
				now = nil
			case e.Name.Local == "g":
				inFrame = 0
			}
		}
	}
	for i := range texts {
		texts[i].spread()
	}
	for i, a := range texts {
		if a.left < 0 || a.right > width || a.top < 0 || a.low > height {
			t.Errorf("%q leaves the page: %.0f to %.0f, %.0f to %.0f on %.0f×%.0f", a.s, a.left, a.right, a.top, a.low, width, height)
		}
		for _, b := range texts[:i] {
			if (a.frame == b.frame || a.frame*b.frame == 0) && a.left < b.right && b.left < a.right && a.top < b.low && b.top < a.low {
				t.Errorf("%q lies on %q", a.s, b.s)
			}
		}
	}
}

// place keeps what the attributes say; spread needs the text, too. Until then
// left and top are the place, right the anchor and low the size.
func (l *letter) place(a map[string]string) {
	l.left, l.top, l.low = float(a["x"]), float(a["y"]), float(a["font-size"])
	l.right = map[string]float64{"": 0, "middle": 0.5, "end": 1}[a["text-anchor"]]
	if a["transform"] != "" {
		l.right += 10
	}
}

func (l *letter) spread() {
	x, y, size, anchor := l.left, l.top, l.low, l.right
	wide := 0.52 * size * float64(utf8.RuneCountInString(l.s))
	if upward := anchor >= 10; upward {
		anchor -= 10
		l.left, l.right, l.top, l.low = x-0.72*size, x+0.2*size, y-(1-anchor)*wide, y+anchor*wide
		return
	}
	l.left, l.right, l.top, l.low = x-anchor*wide, x+(1-anchor)*wide, y-0.72*size, y+0.2*size
}

func float(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Every figure in every format, by what reads it.
func TestFigureFormats(t *testing.T) {
	for _, d := range drawn {
		if strings.Contains(d.name, "-") {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			for _, size := range []string{"paper", "slide"} {
				checkSVG(t, plotted(t, d.name, d.args+" --theme dark --size "+size, "svg"))
			}
			d.args += " --size 640x480"
			img, err := png.Decode(bytes.NewReader(plotted(t, d.name, d.args, "png")))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(img.Bounds().Dx(), img.Bounds().Dy()); got != "1280 960" {
				t.Errorf("PNG of %s pixels, want twice 640×480", got)
			}
			pdf := plotted(t, d.name, d.args, "pdf")
			if !bytes.HasPrefix(pdf, []byte("%PDF-1.4\n")) || !bytes.HasSuffix(pdf, []byte("%%EOF\n")) {
				t.Error("not a whole PDF")
			}
			moving, err := gif.DecodeAll(bytes.NewReader(plotted(t, d.name, d.args, "gif")))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(moving.Image); (d.name == "steps") != (n > 1) {
				t.Errorf("GIF of %d frames", n)
			}
			for i, line := range strings.Split(string(plotted(t, d.name, d.args, "txt")), "\n") {
				if n := utf8.RuneCountInString(line); n > pageColumns {
					t.Errorf("line %d has %d letters", i+1, n)
				}
			}
		})
	}
}

// The sheet's worked example makes 2 updates: two frames and the end.
func TestAnimationFrames(t *testing.T) {
	steps := "--rate 0.01 --init 1,1,-1"
	g, err := gif.DecodeAll(bytes.NewReader(plotted(t, "steps", "@points00 "+steps, "gif")))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 3 || g.LoopCount != 0 {
		t.Errorf("%d frames, repeated %d times; want 3, for ever (0)", len(g.Image), g.LoopCount)
	}
	svg := plotted(t, "steps", "@points00 "+steps, "svg")
	if n := bytes.Count(svg, []byte("<animate ")); n != 2*3 { // below and above the examples
		t.Errorf("%d animated layers, want 6", n)
	}
}

// Each of the sheets of document 000 can be watched, the largest with 6,456
// points, in less than a megabyte.
func TestSheetsMove(t *testing.T) {
	sheets, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "perceptron_bmp", "*.bmp"))
	if err != nil || len(sheets) == 0 {
		t.Skip("no shared/data/perceptron_bmp beside the repository")
	}
	for _, sheet := range sheets {
		t.Run(filepath.Base(sheet), func(t *testing.T) {
			b := plotted(t, "steps", sheet+" --rate 1e-4 --init .1,.1,.1 --stop-error 1e-5 --epochs 200", "gif")
			if len(b) > 1e6 {
				t.Errorf("%d bytes", len(b))
			}
			g, err := gif.DecodeAll(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(g.Image); n < 2 || n > 61 {
				t.Errorf("%d frames, want from 2 to 61", n)
			}
			svg := plotted(t, "steps", sheet+" --rate 1e-4 --init .1,.1,.1 --stop-error 1e-5 --epochs 200", "svg")
			if len(svg) > 1e6 {
				t.Errorf("%d bytes of SVG", len(svg))
			}
			checkSVG(t, svg)
		})
	}
}

// The area in the picture is the one that eval counts another way.
func TestROCArea(t *testing.T) {
	s, err := sample.Read("@gauss")
	if err != nil {
		t.Fatal(err)
	}
	m, err := halfspace.Fit(context.Background(), new(online.Perceptron), halfspace.Run{Set: s})
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := metric.Predict(m, s, 1).Ranking(0)
	if err != nil {
		t.Fatal(err)
	}
	area, err := ranking.AUC(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("area under the curve %.4f", area)
	if svg := string(plotted(t, "roc", "@gauss", "svg")); !strings.Contains(svg, want) {
		t.Errorf("no %q in the picture", want)
	}
}

// The commands in the table of docs/figures.md draw what they say.
func TestFigureTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "figures.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := map[string]bool{}
	for _, m := range regexp.MustCompile("`(plot [^`]* -o [^`]*)`").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], "sheet.bmp") || strings.Contains(m[1], "DATA") { // a reader's own
			continue
		}
		args := strings.Fields(m[1])
		var talk bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), io.Discard, &talk); code != 0 {
			t.Errorf("%s: exit %d: %s", m[1], code, talk.String())
		}
		name := "boundary"
		if i := slices.Index(args, "--figure"); i > 0 {
			name = args[i+1]
		}
		ran[name] = true
	}
	for _, name := range figure.Names() {
		if !ran[name] && name != "steps" && name != "pr" && name != "calibration" { // those are only named
			t.Errorf("docs/figures.md has no command for %s", name)
		}
	}
}
