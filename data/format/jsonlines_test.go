package format

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestJSONLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		spec       Spec
		want       string
	}{
		{"array", `{"label": 1, "x": [0.5, 0, -2e3]}` + "\n" + `{"label":-1,"x":[ 1 ,2,3 ]}`, Spec{}, "1 x1:0.5 x3:-2000\n-1 x1:1 x2:2 x3:3"},
		{"array of features", `{"class":"a","features":[1]}`, Spec{}, "a x1:1"},
		{"object", `{"target":"a","features":{"age":30,"sex":"f","old":false,"rich":true}}`, Spec{}, "a age:30 sex=f:1 rich:1"},
		{"object under x", `{"y":"a","x":{"age":30}}`, Spec{}, "a age:30"},
		{"text", `{"label":"spam","text":"Free \u0066ree\nentry","id":[7]}`, Spec{}, "spam free:2 entry:1"},
		{"binary", `{"label":"spam","text":"Free free"}`, Spec{Words: "binary"}, "spam free:1"},
		{"record", `{"age":30,"sex":"f","y":2,"label":"a","rich":true}`, Spec{}, "a age:30 sex=f:1 y:2 rich:1"},
		{"record: x is a number", `{"x":1,"y":2,"label":"a"}`, Spec{}, "a x:1 y:2"},
		{"record: label named", `{"age":30,"label":2,"sex":"f"}`, Spec{Label: "sex"}, "f age:30 label:2"},
		{"record: nothing is a weight", `{"weight":75,"label":"a"}`, Spec{}, "a weight:75"},
		{"record: weight named", `{"n":3,"label":"a","age":30}`, Spec{Weight: "n"}, "a*3 age:30"},
		{"record: dropped and nominal", `{"id":[3],"label":"a","zip":1234,"age":30}`, Spec{Drop: []string{"id"}, Nominal: []string{"zip"}}, "a zip=1234:1 age:30"},
		{"weight", `{"label":1,"weight":0.5,"x":[1]}`, Spec{}, "1*0.5 x1:1"},
		{"labels", `{"label":true,"x":[1]}` + "\n" + `{"label":"é\"","x":[1]}` + "\n" + `{"label":12345678901234567890,"x":[1]}` + "\n" + `{"label":1.50,"x":[1]}` + "\n" + `{"label":-0,"x":[1]}`, Spec{},
			"true x1:1\né\" x1:1\n12345678901234567890 x1:1\n1.5 x1:1\n0 x1:1"},
		{"no labels", `{"x":[1]}` + "\n" + `{"x":[2],"label":1}`, Spec{Label: "none"}, "- x1:1\n- x1:2"},
		{"missing: zero", `{"label":1,"a":null,"b":1}`, Spec{Missing: "zero"}, "1 b:1"},
		{"missing: drop", `{"label":1,"x":[1,null]}` + "\n" + `{"label":1,"x":[1,2]}`, Spec{Missing: "drop"}, "1 x1:1 x2:2"},
		{"CRLF, blank lines, comments, BOM", "\xef\xbb\xbf# made by hand\r\n\r\n \t{\"label\":1,\"x\":[1]} \r\n#", Spec{}, "1 x1:1"},
		{"escapes", `{"label":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","x":[1]}`, Spec{}, "\"\\/\b\f\n\r\té😀 x1:1"},
		{"escaped keys", `{"l\u0061bel":1,"a\tb":2,"\u0061":3}`, Spec{}, "1 a\tb:2 a:3"},
		{"empty features", `{"label":1,"features":{}}`, Spec{}, "1"},
		{"hashed", `{"label":1,"features":{"a":1,"b":2}}`, Spec{Hash: 20}, hashed("a", "b")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := read("f", c.text, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(s); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if s.Input().Format != "json" {
				t.Errorf("input %+v", s.Input())
			}
		})
	}
}

// hashed is an example of class 1 with the features of those names, hashed
// into 2^20, and the values 1, 2, …
func hashed(names ...string) string {
	features := data.HashedFeatures(20)
	var b vec.Buffer
	b.Reset()
	for k, name := range names {
		j, _ := features.Named([]byte(name))
		b.Add(j, float64(k+1))
	}
	build := data.NewBuilder(features)
	build.Add(b.Row(), []byte("1"), 1)
	return show(build.Set(data.Input{}))
}

func TestJSONLinesKnown(t *testing.T) {
	names := data.NewFeatures("age", "sex=f")
	four := data.RestoreFeatures(nil, 4, 0)
	for _, c := range []struct {
		name, text string
		known      data.Input
		features   *data.Features
		want       string
	}{
		{"no label", `{"x":[1,2]}`, data.Input{Format: "json", Width: 2, Label: "class"}, four, "- x1:1 x2:2"},
		{"label empty", `{"label":"","x":[1,2]}`, data.Input{Format: "json", Width: 2, Label: "label"}, four, "- x1:1 x2:2"},
		{"label null", `{"label":null,"x":[1,2]}`, data.Input{Format: "json", Width: 2, Label: "label"}, four, "- x1:1 x2:2"},
		{"the model's label", `{"label":3,"class":"a","age":2}`, data.Input{Format: "json", Label: "class"}, names, "a age:2"},
		{"unknown features", `{"features":{"age":2,"sex":"m"}}`, data.Input{Format: "json"}, names, "- age:2"},
		{"a table's roles", `{"id":[1],"age":2,"sex":"f","ok":"yes"}`, data.Input{Format: "csv", Columns: []data.Column{{Name: "id", Kind: data.Dropped}, {Name: "ok", Kind: data.Label}}}, names, "yes age:2 sex=f:1"},
		{"numbered by name", `{"features":{"x4":1,"x1":2,"x9":3}}`, data.Input{Format: "libsvm"}, four, "- x1:2 x4:1"},
		{"array for libsvm", `{"x":[1,2,3]}`, data.Input{Format: "libsvm"}, four, "- x1:1 x2:2 x3:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := read("f", c.text, Spec{Format: "json", Known: &c.known, Features: c.features.Frozen()})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(s); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestJSONLinesFound(t *testing.T) {
	for _, c := range []struct {
		text string
		want data.Input
	}{
		{`{"y":1,"x":[1,2]}`, data.Input{Format: "json", Label: "y", Width: 2}},
		{`{"label":1,"text":"see you"}`, data.Input{Format: "json", Label: "label", Words: "counts"}},
		{`{"label":1,"a":1}`, data.Input{Format: "json", Label: "label"}},
	} {
		s, err := read("f", c.text, Spec{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(s.Input())
		want, _ := json.Marshal(c.want)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", c.text, got, want)
		}
	}
}

func TestJSONLinesRefused(t *testing.T) {
	check := "; check the JSON"
	whole := "; write one whole object a line"
	testBad(t, "json", "f", []badInput{
		{"no label", `{"x":[1]}`, Spec{}, `f:1:1: an object without a label; give each a "label", name the key of the label with --label, or say --label none if there are no labels`},
		{"no label later", `{"y":1,"x":[1]}` + "\n" + `{"label":1,"x":[1]}`, Spec{}, `f:2:1: an object without a label; give each a "y", name the key of the label with --label, or say --label none if there are no labels`},
		{"null label", `{"label": null,"x":[1]}`, Spec{}, `f:1:11: an object without a label; give each a "label", name the key of the label with --label, or say --label none if there are no labels`},
		{"empty label", `{"label":"","x":[1]}`, Spec{}, `f:1:10: the label is empty, found "\"\""; give every example a label, or remove the line`},
		{"list label", `{"label":[1],"x":[1]}`, Spec{}, `f:1:10: the label is a list, found "[1]"; write a string, a number, true or false`},
		{"large label", `{"label":1e999,"x":[1]}`, Spec{}, `f:1:10: the label is too large for a number, found "1e999"; write a finite decimal number`},
		{"ragged", `{"label":1,"x":[1,2]}` + "\n" + `{"label":1,"x":[1]}`, Spec{}, `f:2:16: 1 value where line 1 has 2; give every line the same number of values`},
		{"not the model's width", `{"x":[1]}`, Spec{Known: &data.Input{Format: "json", Width: 2}}, `f:1:6: 1 value where the model was trained on 2; model and data do not fit together`},
		{"array for names", `{"x":[1]}`, Spec{Known: &data.Input{Format: "json"}}, `f:1:1: other features than the model's, found "{\"x\":[1]}"; it was trained on named features; give them as "features": {…}`},
		{"names for array", `{"a":1}`, Spec{Known: &data.Input{Format: "json", Width: 2}}, `f:1:1: other features than the model's, found "{\"a\":1}"; it was trained on 2 numbers; give them as "x": […]`},
		{"names for text", `{"a":1}`, Spec{Known: &data.Input{Format: "json", Words: "counts"}}, `f:1:1: other features than the model's, found "{\"a\":1}"; it was trained on text; give it as "text": "…"`},
		{"empty array", `{"label":1,"x":[]}`, Spec{}, `f:1:16: an array without values, found "[]"; give at least one`},
		{"string in array", `{"label":1,"x":[1,"2"]}`, Spec{}, `f:1:19: a value of "x" that is not a number, found "\"2\"]"; write numbers only; give names and texts as "features": {…}`},
		{"true in array", `{"label":1,"x":[true]}`, Spec{}, `f:1:17: a value of "x" that is not a number, found "true"; write 1 or 0`},
		{"array in record", `{"label":1,"a":[1]}`, Spec{}, `f:1:16: the value of "a" is a list, found "[1]"; write numbers, strings, true or false; or leave the key out with --drop`},
		{"object in features", `{"label":1,"features":{"a":{}}}`, Spec{}, `f:1:28: the value of "a" is a list, found "{}"; write numbers, strings, true or false; or leave the key out with --drop`},
		{"missing", `{"label":1,"a":null}`, Spec{}, `f:1:16: a missing value of "a", found "null"; say what to do with --missing zero or --missing drop`},
		{"missing in array", `{"label":1,"x":[1,null]}`, Spec{}, `f:1:19: a missing value of "x", found "null"; say what to do with --missing zero or --missing drop`},
		{"missing: mean", `{"label":1,"x":[1]}`, Spec{Missing: "mean"}, `f: JSON lines keep no means for missing values; use --missing zero or drop`},
		{"twice", `{"label":1,"a":1,"\u0061":2}`, Spec{}, `f:1:18: a key that this object has already, found "a"; give every key once`},
		{"twice within", `{"label":1,"features":{"a":1,"a":1}}`, Spec{}, `f:1:30: a key that this object has already, found "a"; give every key once`},
		{"empty key", `{"label":1,"":1}`, Spec{}, `f:1:12: an empty key; name the feature`},
		{"empty key, no label known", `{"":{""}}`, Spec{Known: &data.Input{Format: "libsvm"}}, `f:1:2: an empty key; name the feature`},
		{"two places", `{"label":1,"x":[1],"text":"see"}`, Spec{}, `f:1:20: features in "x" and in "text"; keep one of them`},
		{"other place", `{"label":1,"x":[1]}` + "\n" + `{"label":1,"text":"see"}`, Spec{}, `f:2:1: no "x", which the first object has, found "{\"label\":1,\"text\":\"see\"}"; write all objects alike`},
		{"other kind", `{"label":1,"x":[1]}` + "\n" + `{"label":1,"x":{"a":1}}`, Spec{}, `f:2:16: the value of "x" is not an array, as in the first object, found "{\"a\":1}"; write all objects alike`},
		{"negative weight", `{"label":1,"weight":-1,"x":[1]}`, Spec{}, `f:1:21: the weight is not a finite number of at least 0, found "-1"; correct it`},
		{"weight no number", `{"label":1,"weight":"1","x":[1]}`, Spec{}, `f:1:21: the weight is not a finite number of at least 0, found "\"1\""; correct it`},
		{"NaN", `{"label":1,"x":[NaN]}`, Spec{}, `f:1:17: the value is not a finite number, found "NaN"; write a finite number, or null where it is missing`},
		{"infinity", `{"label":1,"a":-Infinity}`, Spec{}, `f:1:16: the value is not a finite number, found "-Infinity"; write a finite number, or null where it is missing`},
		{"overflow", `{"label":1,"a":1e999}`, Spec{}, `f:1:16: the value is too large for a number, found "1e999"; write a finite decimal number`},
		{"hexadecimal", `{"label":1,"a":0x10}`, Spec{}, `f:1:16: the value is not JSON, found "0x10"; write a number, true, false, null, or a string in double quotes`},
		{"plus", `{"label":1,"a":+1}`, Spec{}, `f:1:16: the value is not JSON, found "+1"; write a number, true, false, null, or a string in double quotes`},
		{"leading zero", `{"label":1,"x":[01]}`, Spec{}, `f:1:17: the value is not JSON, found "01"; write a number, true, false, null, or a string in double quotes`},
		{"no value", `{"label":,"x":[1]}`, Spec{}, `f:1:10: expected a value, found ",\"x\":[1]}"` + check},
		{"no colon", `{"label" 1}`, Spec{}, `f:1:10: expected a colon after the key, found "1}"` + check},
		{"no quotes", `{label:1}`, Spec{}, `f:1:2: expected a key in double quotes, found "label:1}"` + check},
		{"no comma", `{"label":1 "x":[1]}`, Spec{}, `f:1:12: expected a comma or }, found "\"x\":[1]}"` + check},
		{"comma at the end", `{"label":1,}`, Spec{}, `f:1:12: expected a key in double quotes, found "}"` + check},
		{"comma at the end of an array", `{"label":1,"x":[1,]}`, Spec{}, `f:1:19: expected a value, found "]}"` + check},
		{"wrong bracket", `{"label":1,"x":[1}}`, Spec{}, `f:1:18: expected a comma or ], found "}}"` + check},
		{"ends early", `{"label":1`, Spec{}, `f:1:11: the line ends within the object` + whole},
		{"over lines", "{\n\"label\":1}", Spec{}, `f:1:2: the line ends within the object` + whole},
		{"list ends early", `{"label":1,"x":[1`, Spec{}, `f:1:16: a list that does not end in this line, found "[1"` + whole},
		{"string ends early", `{"label":"a`, Spec{}, `f:1:10: a string that does not end in this line, found "\"a"; close it with a double quote; write one whole object a line`},
		{"escaped string ends early", `{"label":"\n`, Spec{}, `f:1:10: a string that does not end in this line, found "\"\\n"; close it with a double quote; write one whole object a line`},
		{"bad escape", `{"label":"a\x"}`, Spec{}, `f:1:12: not an escape of JSON, found "\\x\"}"; write a backslash as \\`},
		{"half a pair", `{"label":"\ud83d"}`, Spec{}, `f:1:11: not an escape of JSON, found "\\ud83d"; write a backslash as \\`},
		{"control character", "{\"label\":\"a\tb\"}", Spec{}, `f:1:12: a control character in a string, found "\t"; write it as an escape, e.g. \t`},
		{"bad value unread", `{"label":1,"x":[1],"more":[1,}]}`, Spec{}, `f:1:31: expected a comma or }, found "]}"` + check},
		{"bad value unread, balanced", `{"label":1,"x":[1],"more":[1,]}`, Spec{}, `f:1:27: the value is not JSON, found "[1,]"` + check},
		{"more after it", `{"label":1,"x":[1]} {}`, Spec{}, `f:1:21: more after the object, found "{}"; write one object a line`},
		{"array of objects", "[\n{\"label\":1}]", Spec{}, `f:1:1: expected an object in braces, found "["; write one object a line, e.g. with jq -c '.[]'`},
		{"not UTF-8", "{\"label\":\"\xe9\"}", Spec{}, `f:1:11: not UTF-8 text, found "\xe9"; convert the file, e.g. iconv -f latin1 -t utf-8`},
	})
}

// set builds a set of rows without names.
func set(features *data.Features, rows ...vec.Row) *data.Set {
	b := data.NewBuilder(features)
	for i, x := range rows {
		b.Add(x, []byte{"abc"[i%3]}, 1)
	}
	return b.Set(data.Input{})
}

func TestJSONRoundTrip(t *testing.T) {
	sparse := []vec.Row{
		{Idx: []uint32{40, 90}, Val: []float64{0.1, -1e300}},
		{},
		{Idx: []uint32{3}, Val: []float64{5e-324}},
	}
	words, err := read("f", "ham\tsee you, you\nspam\tfree entry, see\n", Spec{})
	if err != nil {
		t.Fatal(err)
	}
	unlabelled, err := read("f", "{\"x\":[1,2]}", Spec{Label: "none"})
	if err != nil {
		t.Fatal(err)
	}
	dense := set(nil, vec.Dense(1, 0.1), vec.Dense(0, 3), vec.Dense(4, 0))
	odd := data.NewFeatures("a\"\\\n", "é", "<&>", "never")
	for _, c := range []struct {
		name string
		set  *data.Set
		line string // the first
	}{
		{"dense", dense, `{"label":"a","x":[1,0.1]}`},
		{"sparse", set(nil, sparse...), ""},
		{"words", words, `{"label":"ham","features":{"see":1,"you":2}}`},
		{"names out of order", set(odd, vec.Dense(0, 0, 1), vec.Dense(2, 0, 0)), `{"label":"a","features":{"a\"\\\u000a":0,"é":0,"<&>":1,"never":0}}`},
		{"weighted", dense.WithWeights(func(i int) float64 { return float64(i) / 3 }), `{"label":"a","weight":0,"x":[1,0.1]}`},
		{"numbers", dense.Relabel(func(c string) string { return map[string]string{"a": "-1", "b": "1", "c": "1"}[c] }), `{"label":-1,"x":[1,0.1]}`},
		{"unlabelled", unlabelled, `{"x":[1,2]}`},
		{"no features", set(nil, vec.Row{}), `{"label":"a","features":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := writeJSON(&b, c.set); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("not JSON: %s", line)
				}
			}
			if first, _, _ := strings.Cut(b.String(), "\n"); c.line != "" && first != c.line {
				t.Errorf("wrote %s\nwant  %s", first, c.line)
			}
			spec := &Spec{}
			if c.name == "unlabelled" {
				spec.Label = "none"
			}
			back, err := read("f", b.String(), *spec)
			if err != nil {
				t.Fatalf("%v in\n%s", err, b.String())
			}
			if back.Digest() != c.set.Digest() || back.Dim() != c.set.Dim() {
				t.Errorf("got\n%s\nwant\n%s", show(back), show(c.set))
			}
			if show(back) != show(c.set) {
				t.Errorf("got\n%s\nwant\n%s", show(back), show(c.set))
			}
		})
	}
}

func TestJSONRoundTripCorpora(t *testing.T) {
	for _, file := range []string{"heart_scale", "SMSSpamCollection", "a9a.t.gz"} {
		t.Run(file, func(t *testing.T) {
			s, err := ReadFile(context.Background(), publicFile(t, file), &Spec{})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := writeJSON(&b, s); err != nil {
				t.Fatal(err)
			}
			back, err := read("f", b.String(), Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if back.Digest() != s.Digest() || back.Dim() != s.Dim() {
				t.Error("not the same examples")
			}
		})
	}
}

// What encoding/json refuses must be refused, and strings must read the same.
func FuzzJSONLines(f *testing.F) {
	f.Add(`{"label": 1, "x": [0.5, 0, -2e3]}`, false)
	f.Add(`{"label":"a","features":{"age":30,"sex":"f","no":null}}`, true)
	f.Add(`{"label":"\ud83d\ude00","text":"Free \u0066ree"}`, false)
	f.Add(`{"class":true,"weight":2,"a":"b","c":1}`+"\n# x\n"+`{"class":false,"c":1e-9}`, true)
	f.Add(`{"x":[1],"more":[{"a":[]}]}`, true)
	f.Fuzz(func(t *testing.T, text string, predict bool) {
		recogniseJSON([]byte(text))
		spec := Spec{Format: "json", Missing: "zero"}
		if predict {
			spec.Known = &data.Input{Format: "libsvm"}
		}
		s := fuzzFormat(t, text, spec, true)
		if s == nil {
			return
		}
		for line := range strings.Lines(strings.TrimPrefix(text, "\xef\xbb\xbf")) {
			if line = strings.Trim(line, " \t\r\n"); line != "" && line[0] != '#' && !json.Valid([]byte(line)) {
				t.Fatalf("accepted what is not JSON: %q", line)
			}
		}
		var b bytes.Buffer
		if err := writeJSON(&b, s); err != nil {
			t.Fatal(err)
		}
		if _, err := read("f", b.String(), Spec{Known: &data.Input{Format: "libsvm"}, Format: "json"}); err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
	})
}
