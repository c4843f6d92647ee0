package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
)

// TestPublicData reads every file of the public data sets by its content, with
// the counts of their README. Flags are given only where content cannot tell:
// which column of the Titanic is the label, what to do with missing values, how
// an archive names its classes.
func TestPublicData(t *testing.T) {
	const large = true
	tests := []struct {
		file     string
		flags    string
		format   string
		rows     int
		features int // of tables with names for values: the columns; 0: made of words
		nonzeros int // where the README has them
		classes  string
		large    bool // left out by -short
	}{
		{"35_TrainingData.txt", "", "lines", 1400, 64, 1400 * 64, "five 700, three 700", false},
		{"35_TestData.txt", "", "lines", 800, 64, 800 * 64, "five 400, three 400", false},
		{"perceptron_bmp/test00.bmp", "", "bmp", 5, 2, 0, "blue 3, red 2", false},
		{"perceptron_bmp/test01.bmp", "", "bmp", 25, 2, 0, "blue 11, red 14", false},
		{"perceptron_bmp/test02.bmp", "", "bmp", 35, 2, 0, "blue 20, red 15", false},
		{"perceptron_bmp/test03.bmp", "", "bmp", 6456, 2, 0, "blue 4039, red 2417", false},
		{"perceptron_bmp/test04.bmp", "", "bmp", 46, 2, 0, "blue 20, red 26", false},
		{"perceptron_bmp/test05.bmp", "", "bmp", 1326, 2, 0, "blue 977, red 349", false},
		{"perceptron_bmp/test06.bmp", "", "bmp", 2638, 2, 0, "blue 1564, red 1074", false},

		{"iris.csv", "", "csv", 150, 4, 0, "setosa 50, versicolor 50, virginica 50", false},
		{"wine.csv", "", "csv", 178, 13, 0, "class_0 59, class_1 71, class_2 48", false},
		{"wdbc.csv", "", "csv", 569, 30, 0, "benign 357, malignant 212", false},
		{"digits8x8.csv", "", "csv", 1797, 64, 0, "10 classes", false},
		{"sonar.csv", "", "csv", 208, 60, 0, "M 111, R 97", false},
		{"ionosphere.csv", "", "csv", 351, 34, 0, "b 126, g 225", false},
		{"pima_diabetes.csv", "", "csv", 768, 8, 0, "0 500, 1 268", false},
		{"banknote.csv", "", "csv", 1372, 4, 0, "0 762, 1 610", false},
		{"titanic.csv", "--label Survived --missing zero", "csv", 891, 11, 0, "0 549, 1 342", false},
		{"heart_scale", "", "libsvm", 270, 13, 0, "-1 150, 1 120", false},
		{"german.numer_scale", "", "libsvm", 1000, 24, 0, "-1 700, 1 300", false},
		{"splice.gz", "", "libsvm", 3175, 60, 0, "-1 1527, 1 1648", false},
		{"mushrooms.gz", "", "libsvm", 8124, 112, 0, "1 3916, 2 4208", false},
		{"agaricus.txt.train.gz", "", "libsvm", 6513, 126, 0, "0 3373, 1 3140", false},
		{"agaricus.txt.test.gz", "", "libsvm", 1611, 126, 0, "0 835, 1 776", false},
		{"spambase.data", "", "csv", 4601, 57, 0, "0 2788, 1 1813", false},

		{"SMSSpamCollection", "", "text", 5574, 0, 0, "ham 4827, spam 747", false},
		{"spamassassin.tar.bz2", "--relabel spam*=spam,*=ham", "archive", 6046, 0, 0, "ham 4150, spam 1896", large},
		{"lingspam_bare.tar.bz2", "--label name --relabel spmsg*=spam,*=ham", "archive", 2893, 0, 0, "ham 2412, spam 481", large},
		{"reuters_r8.train.txt.bz2", "", "text", 5485, 0, 0, "8 classes", false},
		{"reuters_r8.test.txt.bz2", "", "text", 2189, 0, 0, "8 classes", false},

		{"a9a.gz", "", "libsvm", 32561, 123, 451592, "-1 24720, 1 7841", false},
		{"a9a.t.gz", "", "libsvm", 16281, 122, 225731, "-1 12435, 1 3846", false},
		{"adult.data.gz", "--missing zero", "csv", 32561, 14, 0, "<=50K 24720, >50K 7841", false},
		{"adult.test.gz", "--missing zero", "csv", 16281, 14, 0, "<=50K. 12435, >50K. 3846", false},
		{"phishing.gz", "", "libsvm", 11055, 68, 331650, "0 4898, 1 6157", false},
		// Of the 47236 features of RCV1, these pieces reach 47117 and 47042.
		{"rcv1_small.train.gz", "", "libsvm", 1000, 47117, 77739, "-1 541, 1 459", false},
		{"rcv1_small.test.gz", "", "libsvm", 500, 47042, 39448, "-1 255, 1 245", false},
		{"imdb.train.svm.bz2", "", "libsvm", 25000, 49133, 3431732, "-1 12500, 1 12500", large},
		{"imdb.test.svm.bz2", "", "libsvm", 25000, 49133, 3330014, "-1 12500, 1 12500", large},
		{"higgs7k.train.tsv.gz", "", "tsv", 7000, 28, 0, "0 3284, 1 3716", false},
		{"higgs7k.test.tsv.gz", "", "tsv", 500, 28, 0, "0 228, 1 272", false},
		{"letter.csv.gz", "", "csv", 20000, 16, 0, "26 classes", false},
		{"satimage.csv.gz", "", "csv", 6435, 36, 0, "cotton crop 703, damp grey soil 626, grey soil 1358, red soil 1533, vegetation stubble 707, very damp grey soil 1508", false},
		{"mnist/train-images-idx3-ubyte.gz", "", "idx", 60000, 784, 8994156, "10 classes", large},
		{"mnist/t10k-images-idx3-ubyte.gz", "", "idx", 10000, 784, 1511219, "10 classes", large},
		{"kddcup.data_10_percent.gz", "--relabel normal.=normal,*=attack", "csv", 494021, 41, 0, "attack 396743, normal 97278", large},
		{"kddcup.corrected.gz", "--relabel normal.=normal,*=attack", "csv", 311029, 41, 0, "attack 250436, normal 60593", large},
	}
	folder := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the public data sets are not here")
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			if test.large && testing.Short() {
				t.Skip("a large file")
			}
			var out, talk bytes.Buffer
			args := append([]string{"data", filepath.Join(folder, test.file), "--json"}, strings.Fields(test.flags)...)
			if code := run(context.Background(), args, nil, &out, &talk); code != 0 {
				t.Fatalf("exit %d: %s", code, talk.String())
			}
			var got struct {
				halfspace.DataReport
				Format string
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			features := got.Features
			switch {
			case got.Columns > 0:
				features = got.Columns
			case test.features == 0:
				features = 0
			}
			if got.Format != test.format || got.Examples != test.rows || features != test.features {
				t.Errorf("%s with %d rows and %d features, want %s with %d and %d", got.Format, got.Examples, features, test.format, test.rows, test.features)
			}
			if test.nonzeros > 0 && got.Nonzeros != test.nonzeros {
				t.Errorf("%d nonzeros, want %d", got.Nonzeros, test.nonzeros)
			}
			if classes := countedClasses(&got.DataReport); classes != test.classes {
				t.Errorf("classes %s, want %s", classes, test.classes)
			}
		})
	}
}

// countedClasses is "a 2, b 3" in the order of the names, of many their number.
func countedClasses(d *halfspace.DataReport) string {
	if len(d.Classes) > 6 {
		return fmt.Sprintf("%d classes", len(d.Classes))
	}
	var parts []string
	for c, name := range d.Classes {
		parts = append(parts, fmt.Sprintf("%s %d", name, d.Counts[c]))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
