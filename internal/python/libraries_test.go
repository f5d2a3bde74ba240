//go:build unix

package python

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// kinds returns the kinds of the events and their content besides text.
func kinds(sink *langtest.Recorder) []string {
	var all []string
	for _, event := range sink.Events {
		types := slices.Sorted(maps.Keys(event.Bundle.Data))
		types = slices.DeleteFunc(types, func(mime string) bool { return mime == "text/plain" })
		all = append(all, strings.TrimSpace(event.Kind+" "+strings.Join(types, " ")))
	}
	return all
}

// well executes a source that must succeed.
func well(t *testing.T, engine *Engine, source string) *langtest.Recorder {
	t.Helper()
	sink, failed := run(t, engine, source)
	if failed != nil {
		t.Fatalf("execute %q: %v\n%s", source, failed, strings.Join(failed.Trace, "\n"))
	}
	return sink
}

func checkModule(t *testing.T, engine *Engine) {
	got := kinds(well(t, engine, `from IPython.display import display, clear_output, HTML, Image, Markdown, JSON, SVG, Latex
print("a")
display(HTML("<i>h</i>"))
clear_output(wait=True)
display(Markdown("*m*"), display_id="d")
display(Image(data=b"\x89PNG\r\n\x1a\n" + bytes(16)))
display(JSON({"a": 1}))
Latex("$x$")`))
	want := []string{
		"stdout", "display text/html", "clear", "display text/markdown", "display image/png",
		"display application/json", "result text/latex",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLibraries uses one engine, since the libraries are slow to import.
func TestLibraries(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		t.Run("figures are shown once", func(t *testing.T) { checkFiguresOnce(t, engine) })
		t.Run("figures are shown when the cell fails", func(t *testing.T) { checkFigureOfFailure(t, engine) })
		t.Run("figures come in the format that is asked for", func(t *testing.T) { checkFormats(t, engine) })
		t.Run("figures do not add up", func(t *testing.T) { checkFiguresEnd(t, engine) })
		t.Run("tables are shown as HTML", func(t *testing.T) { checkTables(t, engine) })
		t.Run("progress bars are one line of text", func(t *testing.T) { checkBars(t, engine) })
	}, "matplotlib", "pandas", "tqdm")
}

const draw = "f, a = plt.subplots()\na.plot([1, 2])\n"

func checkFiguresOnce(t *testing.T, engine *Engine) {
	expect(t, engine, "import os, matplotlib.pyplot as plt\n'MPLBACKEND' in os.environ", "result: False")
	well(t, engine, "plt.rcParams.update({'figure.figsize': (1, 1), 'figure.dpi': 40}) # so that they are soon drawn")
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"by show", draw + "print('a')\nplt.show()\nprint('b')", []string{"stdout", "display image/png", "stdout"}},
		{"at the end of the cell", draw + "print('a');", []string{"stdout", "display image/png"}},
		{"as a result", draw + "f", []string{"result image/png"}},
		{"as a result that was closed", draw + "plt.close(f)\nf", []string{"result image/png"}},
		{"by display", draw + "display(f)", []string{"display image/png"}},
		{"by display and show", draw + "display(f)\nplt.show()", []string{"display image/png"}},
		{"again when it changed", draw + "display(f)\na.plot([2, 1])\nplt.show()", []string{"display image/png", "display image/png"}},
		{"of two the one that was not", draw + "g = f\n" + draw + "display(g);", []string{"display image/png", "display image/png"}},
		{"when the cell fails", draw + "try:\n  1 / 0\nexcept ZeroDivisionError: pass", []string{"display image/png"}},
		{"none", "plt.close('all')", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, kinds(well(t, engine, c.source))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			expect(t, engine, "plt.get_fignums()", "result: []")
		})
	}
}

func checkFigureOfFailure(t *testing.T, engine *Engine) {
	sink, failed := run(t, engine, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n1 / 0")
	if failed == nil || failed.Name != "ZeroDivisionError" || failed.Line != 3 {
		t.Errorf("got %+v", failed)
	}
	if diff := cmp.Diff([]string{"display image/png"}, kinds(sink)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func checkFormats(t *testing.T, engine *Engine) {
	well(t, engine, "import matplotlib.pyplot as plt\nfrom matplotlib_inline.backend_inline import set_matplotlib_formats")
	for _, c := range []struct{ name, source, want string }{
		{"png", draw, "display image/png"},
		{"svg", "%config InlineBackend.figure_formats = ['svg']\n" + draw, "display image/svg+xml"},
		{"two", "%config InlineBackend.figure_formats = {'png', 'svg'}\n" + draw, "display image/png image/svg+xml"},
		{"by a function", "set_matplotlib_formats('svg')\n" + draw, "display image/svg+xml"},
		{"png again", "set_matplotlib_formats('png')\n" + draw, "display image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{c.want}, kinds(well(t, engine, c.source+"None"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	plain := size(t, well(t, engine, draw+"f.set_size_inches(3, 2)\nf.set_dpi(50)"))
	fine := size(t, well(t, engine, "set_matplotlib_formats('retina')\n"+draw+"f.set_size_inches(3, 2)\nf.set_dpi(50)"))
	half := [2]int{fine.pixels[0] / 2, fine.pixels[1] / 2}
	if plain.metadata != [2]int{} || fine.metadata != half || half[0] < plain.pixels[0] {
		t.Errorf("got %+v and for retina %+v, want twice the pixels and the size of the first", plain, fine)
	}
}

// measured is the size of a PNG, and the size in its metadata.
type measured struct{ pixels, metadata [2]int }

func size(t *testing.T, sink *langtest.Recorder) measured {
	t.Helper()
	var got measured
	for _, event := range sink.Events {
		var png []byte
		if err := json.Unmarshal(event.Bundle.Data["image/png"], &png); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
			t.Fatalf("got %v, want a PNG", kinds(sink))
		}
		for i := range got.pixels {
			got.pixels[i] = int(png[18+4*i])<<8 + int(png[19+4*i])
		}
		var said struct{ Width, Height int }
		if raw := event.Bundle.Metadata["image/png"]; raw != nil {
			if err := json.Unmarshal(raw, &said); err != nil {
				t.Fatal(err)
			}
		}
		got.metadata = [2]int{said.Width, said.Height}
	}
	return got
}

func checkFiguresEnd(t *testing.T, engine *Engine) {
	const count = "gc.collect()\nsum(isinstance(o, Figure) for o in gc.get_objects())"
	well(t, engine, "import gc, matplotlib.pyplot as plt\nfrom matplotlib.figure import Figure")
	before := well(t, engine, count).PlainResult()
	for range 2 {
		well(t, engine, "for i in range(2): plt.figure().add_subplot().plot([i])")
	}
	if after := well(t, engine, count).PlainResult(); after != before {
		t.Errorf("got %s figures after, %s before", after, before)
	}
}

func checkTables(t *testing.T, engine *Engine) {
	well(t, engine, "import pandas as pd\nd = pd.DataFrame({'a': [1, 2]})")
	for source, want := range map[string]string{
		"d":          "result text/html",
		"display(d)": "display text/html",
		"d.style.set_caption('c') if __import__('importlib').util.find_spec('jinja2') else d": "result text/html",
	} {
		sink := well(t, engine, source)
		if diff := cmp.Diff([]string{want}, kinds(sink)); diff != "" || len(sink.Events[0].Bundle.Data["text/plain"]) == 0 {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}

func checkBars(t *testing.T, engine *Engine) {
	for _, module := range []string{"auto", "notebook", "autonotebook"} {
		sink := well(t, engine, "from tqdm."+module+" import tqdm, trange\nfor i in tqdm(range(3)): pass\nfor i in trange(2): pass")
		got := sink.Text(lang.Stderr)
		if !strings.Contains(got, "100%|██████████| 3/3") || !strings.HasPrefix(got, "\r") ||
			strings.Count(got, "\n") != 2 || strings.Contains(got, "Warning") {
			t.Errorf("%s: got %q, want two lines that are drawn over", module, got)
		}
	}
}
