package langtest

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// sourceOffer is a source for Python with IPython, and the offer that it makes.
type sourceOffer struct {
	name   string
	source string
	want   *lang.Offer
	failed string // the name of the error
}

// sourceOffers returns sources with their offers; a front end of Jupyter would get the same. It is a function because the
// sources are large, and this package is in the binary, whose other commands must not pay for them.
func sourceOffers() []sourceOffer {
	return []sourceOffer{
		{"set_next_input", "get_ipython().set_next_input('a = 1')", &lang.Offer{Source: "a = 1"}, ""},
		{"%load", "%load l.py", &lang.Offer{Source: "# %load l.py\ndef f():\n    return 1\n\n\nx = 2\ny = 3\n", Replace: true}, ""},
		{"%loadpy", "%loadpy l.py", &lang.Offer{Source: "# %load l.py\ndef f():\n    return 1\n\n\nx = 2\ny = 3\n", Replace: true}, ""},
		{"%load of lines", "%load -r 5-6 l.py", &lang.Offer{Source: "# %load -r 5-6 l.py\nx = 2\ny = 3", Replace: true}, ""},
		{"%load of a symbol", "%load -s f l.py", &lang.Offer{Source: "# %load -s f l.py\ndef f():\n    return 1\n", Replace: true}, ""},
		{"%load of a file in another encoding", "%load latin.py", &lang.Offer{Source: "# %load latin.py\nname = 'Zoë'\n", Replace: true}, ""},
		{"%load of a file with other line ends", "%load crlf.py", &lang.Offer{Source: "# %load crlf.py\nx = 1\ny = 2\n", Replace: true}, ""},
		{"%load of a file that is empty", "%load empty.py", &lang.Offer{Source: "# %load empty.py\n", Replace: true}, ""},
		{"%load of a large file", "%load -y large.py", &lang.Offer{Source: "# %load -y large.py\n" + strings.Repeat("x = 1\n", 40_000), Replace: true}, ""},
		{"%load of a large file, unattended", "%load large.py", &lang.Offer{Source: "# %load large.py\n" + strings.Repeat("x = 1\n", 40_000), Replace: true}, ""},
		{"%save over a file, unattended", "%save l.py 1", nil, "UsageError"},
		{"%load of no file", "%load missing.py", nil, "ValueError"},
		{"%load of an address that nothing answers at", "%load http://127.0.0.1:1/x.py", nil, "URLError"},
		{"%recall", "%recall str(6*7)", &lang.Offer{Source: "42"}, ""},
		{"%rerun", "%rerun 1", nil, ""},
		{"set_next_input in place", "get_ipython().set_next_input('a = 1', replace=True)", &lang.Offer{Source: "a = 1", Replace: true}, ""},
		{"set_next_input of nothing", "get_ipython().set_next_input('', replace=True)", &lang.Offer{Replace: true}, ""},
		{"several", "for i in range(3): get_ipython().set_next_input(f'a = {i}')", &lang.Offer{Source: "a = 2"}, ""},
		{"a cell that fails behind it", "get_ipython().set_next_input('a = 1')\n1/0", nil, "ZeroDivisionError"},
		{"the cell behind one that has failed", "1 + 1", nil, ""},
	}
}

// writeOffered writes the files that the sources load.
const writeOffered = `open('l.py', 'w').write('def f():\n    return 1\n\n\nx = 2\ny = 3\n')
open('latin.py', 'wb').write(b"# -*- coding: latin-1 -*-\nname = 'Zo\xeb'\n")
open('crlf.py', 'wb').write(b'x = 1\r\ny = 2\r\n')
open('large.py', 'w').write('x = 1\n' * 40_000)
open('empty.py', 'w').close()`

// Offers checks the offers of an engine of Python with IPython.
func Offers(t TB, engine lang.Engine) {
	t.Helper()
	execute := func(source string) (*Recorder, lang.Result) {
		t.Helper()
		r := &Recorder{}
		result, err := engine.Execute(t.Context(), lang.Request{Source: source}, r)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		return r, result
	}
	if _, result := execute(writeOffered); result.Err != nil {
		t.Fatal(result.Err)
	}
	for _, c := range sourceOffers() {
		r, result := execute(c.source)
		if !reflect.DeepEqual(result.Offer, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, result.Offer, c.want)
		}
		switch {
		case c.failed == "" && result.Err != nil, c.failed != "" && (result.Err == nil || result.Err.Name != c.failed):
			t.Errorf("%s: got error %v, want %q", c.name, result.Err, c.failed)
		case c.want != nil && len(r.Events) > 0:
			t.Errorf("%s: got output %q, want none", c.name, r.Lines())
		}
	}
	confirmed(t, engine)
}

// confirmed checks that a person is asked before a large file is loaded.
func confirmed(t TB, engine lang.Engine) {
	t.Helper()
	for answer, want := range map[string]bool{"y": true, "YES": true, "": false, "n": false} {
		var asked []string
		ask := func(_ context.Context, q lang.Question) (string, error) {
			asked = append(asked, q.Prompt)
			return answer, nil
		}
		r := &Recorder{}
		result, err := engine.Execute(t.Context(), lang.Request{Source: "%load large.py", Ask: ask}, r)
		if err != nil || result.Err != nil {
			t.Fatalf("answer %q: %v, %v", answer, err, result.Err)
		}
		const prompt = "The text you're trying to load seems pretty big (240000 characters). Continue (y/[N]) ? "
		if !slices.Equal(asked, []string{prompt}) {
			t.Errorf("answer %q: asked %q, want %q", answer, asked, prompt)
		}
		if got := result.Offer != nil; got != want {
			t.Errorf("answer %q: got an offer: %t, want %t", answer, got, want)
		}
		if got := r.Text(lang.Stdout); !want && got != "Operation cancelled.\n" {
			t.Errorf("answer %q: got %q, want that it is cancelled", answer, got)
		}
	}
}
