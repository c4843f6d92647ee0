package data

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestInputError(t *testing.T) {
	for _, c := range []struct {
		err  InputError
		want string
	}{
		{InputError{What: "no"}, "no"},
		{InputError{File: "f", What: "no", Do: "go"}, "f: no; go"},
		{InputError{File: "f", Line: 3, What: "no", Found: `a"b`, Do: "go"}, `f:3: no, found "a\"b"; go`},
		{InputError{File: "f", Line: 3, Col: 7, What: "no"}, "f:3:7: no"},
		{InputError{File: "f", Col: 7, What: "no"}, "f: no"},
		{InputError{What: "no", Found: strings.Repeat("x", 41)}, `no, found "` + strings.Repeat("x", 40) + `…"`},
		// A character is not cut in two: é starts at byte 39.
		{InputError{What: "no", Found: strings.Repeat("x", 39) + "éé"}, `no, found "` + strings.Repeat("x", 39) + `…"`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if !errors.Is(&InputError{What: "no", Err: fs.ErrNotExist}, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}
