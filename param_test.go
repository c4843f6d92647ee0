package halfspace

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

type settings struct {
	Rate, Share, Free, Bound, Half float64
	Loops, Few                     int
	Tie                            Tie
	Shuffle                        bool
}

func (s *settings) params() []Param {
	inf := math.Inf(1)
	return []Param{
		Float(&s.Rate, "rate", "1", 0, inf, ""),
		Float(&s.Share, "share", "0", 0, 1, ""),
		Float(&s.Free, "free", "0", -inf, inf, ""),
		Float(&s.Bound, "bound", "", 0, inf, ""),
		Float(&s.Half, "half", "0.5", 0, 1, ""),
		Int(&s.Loops, "loops", "10", 1, math.MaxInt, ""),
		Int(&s.Few, "few", "2", 1, 8, ""),
		Word(&s.Tie, "tie", Ties, ""),
		Flag(&s.Shuffle, "shuffle", ""),
	}
}

func (s *settings) param(name string) Param {
	for _, p := range s.params() {
		if p.Name == name {
			return p
		}
	}
	panic(name)
}

func TestParamSet(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"rate", "0.5", "0.5"},
		{"rate", " 1e-4 ", "0.0001"},
		{"rate", "0", "rate = 0 is not possible; it must be a number greater than 0"},
		{"rate", "-1", "rate = -1 is not possible; it must be a number greater than 0"},
		{"rate", "NaN", "rate = NaN is not possible; it must be a number greater than 0"},
		{"rate", "Inf", "rate = Inf is not possible; it must be a number greater than 0"},
		{"rate", "1e999", "rate = 1e999 is not possible; it must be a number greater than 0"},
		{"rate", "fast", "rate = fast is not possible; it must be a number greater than 0"},
		{"rate", "", "rate =  is not possible; it must be a number greater than 0"},
		{"share", "0", "0"},
		{"share", "1", "1"},
		{"share", "1.1", "share = 1.1 is not possible; it must be a number from 0 to 1"},
		{"free", "-3", "-3"},
		{"free", "-Inf", "free = -Inf is not possible; it must be a finite number"},
		{"bound", "0", "0"},
		{"bound", "-1", "bound = -1 is not possible; it must be a number of at least 0"},
		{"half", "0", "half = 0 is not possible; it must be a number greater than 0, at most 1"},
		{"half", "2", "half = 2 is not possible; it must be a number greater than 0, at most 1"},
		{"loops", "1e5", "100000"},
		{"loops", "0", "loops = 0 is not possible; it must be a whole number of at least 1"},
		{"loops", "1.5", "loops = 1.5 is not possible; it must be a whole number of at least 1"},
		{"loops", "Inf", "loops = Inf is not possible; it must be a whole number of at least 1"},
		{"loops", "NaN", "loops = NaN is not possible; it must be a whole number of at least 1"},
		{"few", "8", "8"},
		{"few", "9", "few = 9 is not possible; it must be a whole number from 1 to 8"},
		{"tie", "right", "right"},
		{"tie", "left", `tie = "left" is not possible; it must be one of wrong, right, positive, negative`},
		{"shuffle", "true", "true"},
		{"shuffle", "maybe", "shuffle = maybe is not possible; it must be true or false"},
	} {
		var s settings
		p := s.param(c.name)
		got := ""
		if err := p.Set(c.text); err != nil {
			got = err.Error()
			if !reflect.DeepEqual(s, settings{}) {
				t.Errorf("%s = %s was refused, yet something was set: %+v", c.name, c.text, s)
			}
		} else {
			got = fmt.Sprint(p.Value())
		}
		if got != c.want {
			t.Errorf("%s = %q: got %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	var s settings
	if err := Complete(s.params()); err != nil {
		t.Fatal(err)
	}
	if want := (settings{Rate: 1, Half: 0.5, Loops: 10, Few: 2, Tie: TieWrong}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	given := settings{Rate: 0.25, Share: 1, Free: -1e300, Bound: 2, Half: 1, Loops: 1, Few: 8, Tie: TieNegative, Shuffle: true}
	s = given
	if err := Complete(s.params()); err != nil || s != given {
		t.Errorf("what was given became %+v, error %v", s, err)
	}
	for _, c := range []struct {
		bad  settings
		want string
	}{
		{settings{Rate: math.NaN()}, "rate = NaN is not possible; it must be a number greater than 0"},
		{settings{Loops: -1}, "loops = -1 is not possible; it must be a whole number of at least 1"},
		{settings{Tie: "x"}, `tie = "x" is not possible; it must be one of wrong, right, positive, negative`},
		{settings{Rate: -1, Loops: -1}, "rate = -1 is not possible; it must be a number greater than 0"}, // the first
	} {
		if err := Complete(c.bad.params()); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, want %s", c.bad, err, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	s := settings{Rate: 2, Loops: 3, Tie: TieRight}
	want := map[string]any{
		"rate": 2.0, "share": 0.0, "free": 0.0, "bound": 0.0, "half": 0.0, "loops": 3, "few": 0, "tie": "right", "shuffle": false,
	}
	if got := Values(s.params()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
