//go:build unix

package python

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

// rich is a class with most representations, one of them broken.
const rich = `class Rich:
  def __repr__(self): return "plain"
  def _repr_html_(self): return "<b>html</b>", {"isolated": True}
  def _repr_markdown_(self): return "**md**"
  def _repr_png_(self): return b"\x89PNG"
  def _repr_svg_(self): return "<svg/>"
  def _repr_latex_(self): return "$x$"
  def _repr_json_(self): return {"a": [1, None]}
  def _repr_jpeg_(self): raise NotImplementedError
`

func TestAValueIsShownInEveryRepresentation(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for _, show := range []string{"Rich()", "display(Rich())"} {
		sink, failed := run(t, engine, rich+show)
		if failed != nil || len(sink.Events) != 1 {
			t.Fatalf("got %v and %v", failed, sink.Lines())
		}
		want := map[string]string{
			"text/plain":       `"plain"`,
			"text/html":        `"<b>html</b>"`,
			"text/markdown":    `"**md**"`,
			"image/png":        `"` + base64.StdEncoding.EncodeToString([]byte("\x89PNG")) + `"`,
			"image/svg+xml":    `"<svg/>"`,
			"text/latex":       `"$x$"`,
			"application/json": `{"a":[1,null]}`,
		}
		if diff := cmp.Diff(want, asText(sink.Events[0].Bundle.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", show, diff)
		}
		if diff := cmp.Diff(map[string]string{"text/html": `{"isolated":true}`}, asText(sink.Events[0].Bundle.Metadata)); diff != "" {
			t.Errorf("metadata of %s (-want +got):\n%s", show, diff)
		}
	}
}

func asText(raw map[string]json.RawMessage) map[string]string {
	text := map[string]string{}
	for mime, data := range raw {
		text[mime] = string(data)
	}
	return text
}

func TestDisplaysInTheirOddForms(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"several values":           {"display(1, 'a')", []string{"display: text/plain 1", "display: text/plain 'a'"}},
		"a mime bundle":            {"class M:\n  def _repr_mimebundle_(self, include=None, exclude=None): return {'text/html': 'm'}\nM()", []string{"result: "}},
		"a class is not an object": {rich + "display(Rich)", []string{"display: text/plain <class '__main__.Rich'>"}},
		"a mock has no representations": {
			"class Any:\n  def __getattr__(self, name): return lambda *a, **k: self\n  def __repr__(self): return 'any'\ndisplay(Any())",
			[]string{"display: text/plain any"},
		},
		"an update by id":        {"display(1, display_id='d')\nupdate_display(2, display_id='d')", []string{"display: text/plain 1", "update: text/plain 2"}},
		"clearing before a show": {"display(1, clear=True)", []string{"clear: wait", "display: text/plain 1"}},
		"leaving out":            {rich + "display(Rich(), include=['text/html'])", []string{"display: text/html <b>html</b>"}},
	} {
		t.Run(name, func(t *testing.T) {
			sink, failed := run(t, engine, c.source)
			if failed != nil {
				t.Fatal(failed)
			}
			got := sink.Lines()
			for i := range got {
				got[i] = strings.Split(got[i], " object at")[0]
			}
			if name == "a mime bundle" {
				got = []string{"result: " + strings.Trim(string(sink.Events[0].Bundle.Data["none"]), `"`)}
				if html := string(sink.Events[0].Bundle.Data["text/html"]); html != `"m"` {
					t.Errorf("got %s, want the html of the bundle", html)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABrokenRepresentationIsReportedAndTheOthersShown(t *testing.T) {
	t.Parallel()
	sink, failed := run(t, load(t), "class B:\n  def _repr_html_(self): 1 / 0\n  def __repr__(self): return 'b'\nB()")
	if failed != nil || sink.PlainResult() != "b" {
		t.Errorf("got %v and %v", sink.Lines(), failed)
	}
	if got := sink.Text(lang.Stderr); !strings.Contains(got, "ZeroDivisionError") || strings.Contains(got, "<quire") {
		t.Errorf("got %q, want the trace of the program", got)
	}
}

// TestWhatIsNearlyJSONIsConverted shows values that ipykernel converts, and checks that no content
// of a value makes its display fail.
func TestWhatIsNearlyJSONIsConverted(t *testing.T) {
	t.Parallel()
	engine := load(t)
	well(t, engine, "import datetime, decimal, enum, fractions\n"+
		"class Broken:\n  def __repr__(self): 1 / 0\n"+
		"class Level(enum.IntEnum): LOW = 1\n"+
		"cycle = []; cycle.append(cycle)\ndeep = []\nfor i in range(5000): deep = [deep]")
	for value, want := range map[string]string{
		"float('nan')":                  `"nan"`,
		"[float('inf'), -float('inf')]": `["inf","-inf"]`,
		"b'abc'":                        `"YWJj\n"`,
		"{1}":                           `[1]`,
		"(i for i in range(2))":         `[0,1]`,
		"{'a': {2}, 1: 0, None: 1}":     `{"a":[2],"1":0,"null":1}`,
		"{(1, 2): 3}":                   `{"(1, 2)":3}`,
		"fractions.Fraction(1, 2)":      `0.5`,
		"[Level.LOW, {3}]":              `[1,[3]]`,
		"Broken()":                      `"<Broken>"`,
		"cycle":                         `["..."]`,
		"{'a': int}":                    `{"a":"<class 'int'>"}`,
		"decimal.Decimal('1.5')":        `"Decimal('1.5')"`,
		"datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)": `"2024-01-02T00:00:00Z"`,
	} {
		sink, failed := run(t, engine, "display({'application/json': ["+value+"]}, raw=True, metadata={'m': "+value+"})")
		if failed != nil {
			t.Errorf("%s: %v", value, failed)
			continue
		}
		if got := strings.Join(sink.Lines(), ""); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	well(t, engine, "display({'application/json': deep}, raw=True)")
	well(t, engine, "display({1: 'a', 'text/plain': 'b'}, raw=True)")
}
