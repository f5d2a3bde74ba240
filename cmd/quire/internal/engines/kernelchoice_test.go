package engines

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/internal/jupyter"
)

// somewhere has the engines of a machine that does not exist.
var somewhere = Offers{
	pythonOffer(),
	{Name: "node", Language: "javascript", Display: "JavaScript", Source: Interpreter, Place: "/usr/bin/node", Interrupt: "signal"},
	{Name: "ruby", Language: "ruby", Display: "Ruby", Source: Interpreter, Fault: errors.New("it is not installed: there is no ruby in PATH")},
	kernelOffer(jupyter.Kernel{Name: "broken", Language: "julia", Fault: errors.New("no argv")}),
	kernelOffer(jupyter.Kernel{Name: "cpp", Language: "c++17", Display: "C++17", Argv: []string{"xcpp"}}),
	kernelOffer(jupyter.Kernel{Name: "ir", Language: "r", Display: "R", Argv: []string{"R"}}),
	kernelOffer(jupyter.Kernel{Name: "ir4", Language: "r", Display: "R 4", Argv: []string{"R4"}}),
	kernelOffer(jupyter.Kernel{Name: "python3", Language: "python", Display: "Python 3 (ipykernel)", Argv: []string{"python3"}}),
}

func metadataOf(t *testing.T, text string) Metadata {
	t.Helper()
	var m Metadata
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// firstNames returns the names of the kernels that count first.
func firstNames(c Choice) string {
	var names []string
	for _, k := range c.first {
		names = append(names, k.Name)
	}
	return strings.Join(names, " ")
}

func TestAKernelIsChosenByPersonFileAndFlagInThisOrder(t *testing.T) {
	const r4 = `"kernelspec": {"name": "ir4", "language": "R"}`
	for _, c := range []struct {
		name, metadata, flag string
		language, first      string
	}{
		{"nothing said", `{}`, "", "python", ""},
		{"a file of Python", `{"kernelspec": {"name": "python3", "language": "python"}}`, "", "python", ""},
		{"a file of R", `{` + r4 + `}`, "", "r", "ir4"},
		{"a file of a kernel that is not here", `{"kernelspec": {"name": "myr", "language": "R"}}`, "", "r", ""},
		{"a file of a language that is not here", `{"kernelspec": {"name": "rust", "language": "rust"}}`, "", "rust", ""},
		{"only a language", `{"language_info": {"name": "R"}}`, "", "r", ""},
		{"a person's choice", `{"quire": {"kernel": "ir"}, ` + r4 + `}`, "", "r", "ir"},
		{"a person's choice of Jupyter's Python", `{"quire": {"kernel": "Python3"}}`, "", "python", "python3"},
		{"a person's choice of our Python", `{"quire": {"kernel": "python"}, ` + r4 + `}`, "", "python", ""},
		{"a flag", `{}`, "ir", "r", "ir"},
		{"a flag for a file of Python", `{"kernelspec": {"name": "python3", "language": "python"}}`, "ir", "python", "ir"},
		{"a flag for a file of R", `{` + r4 + `}`, "python3", "r", "ir4 python3"},
		{"a kernel with a name of its own for the language", `{"kernelspec": {"name": "cpp", "language": "C++17"}, "language_info": {"name": "c++"}}`, "", "c++", "cpp"},
		{"a kernel that says that it executes R", `{"kernelspec": {"name": "cpp"}, "language_info": {"name": "R"}}`, "", "r", "cpp"},
		{"a kernel of Python for R", `{"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"name": "R"}}`, "", "r", ""},
		{"a file of a kernel whose language has an interpreter", `{"kernelspec": {"name": "jslab", "language": "javascript"}}`, "", "javascript", ""},
		{"a person's choice of an interpreter", `{"quire": {"kernel": "node"}}`, "", "javascript", "node"},
		{"damage", `{"quire": 3, "kernelspec": [], "language_info": "R"}`, "", "python", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := somewhere.Choose(metadataOf(t, c.metadata), c.flag)
			if got.Language != c.language || firstNames(got) != c.first || got.missing != nil {
				t.Errorf("got %s, first %q, missing %v; want %s, first %q", got.Language, firstNames(got), got.missing, c.language, c.first)
			}
		})
	}
}

func TestAChosenKernelThatIsNotHereIsMissedByName(t *testing.T) {
	for name, want := range map[string]string{
		"julia":  `there is no kernel "julia": there is python (built in), node, cpp, ir, ir4, python3`,
		"broken": `the kernel "broken" cannot be used: no argv`,
		"ruby":   `the engine "ruby" cannot be used: it is not installed: there is no ruby in PATH`,
	} {
		c := somewhere.Choose(metadataOf(t, `{"quire": {"kernel": "`+name+`"}}`), "")
		if c.missing == nil || !strings.Contains(c.missing.Error(), want) {
			t.Errorf("got %v, want %q", c.missing, want)
		}
		engines := (&Factory{Config: &settings.Config{}}).Engines("", settings.Bounds{}, c)
		if _, err := engines.Get(t.Context(), c.Language, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the engine of its language: got %v, want %q", err, want)
		}
	}
}

func TestALanguageHasTheEngineThatWasChosenForIt(t *testing.T) {
	for name, language := range map[string]string{"python3": "python", "ir4": "r"} {
		table := (&Factory{Config: &settings.Config{}}).table("", limits{}, somewhere.Choose(nil, name))
		engine, err := table[0].New()
		if err != nil {
			t.Fatal(err)
		}
		limited := engine.(*limitedEngine)
		if _, ok := limited.Engine.(*jupyter.Engine); !ok || table[0].Language != language {
			t.Errorf("%s: got a %T for %s first, want a kernel for %s", name, limited.Engine, table[0].Language, language)
		}
	}
	engines := (&Factory{Config: &settings.Config{}}).Engines("", settings.Bounds{}, somewhere.python())
	if diff := cmp.Diff([]string{"python", "javascript", "c++17", "r"}, engines.Languages()); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
}

func TestANotebookOfAnotherLanguageNeedsToBeTold(t *testing.T) {
	for _, c := range []struct {
		name, metadata, asked string
		sets                  string // as its kernel, if anything
		fails                 string
	}{
		{"nothing said", `{}`, "", "", ""},
		{"python", `{"kernelspec": {"name": "python3", "language": "python"}}`, "", "", ""},
		{"an environment of python", `{"kernelspec": {"name": "mine"}, "language_info": {"name": "python"}}`, "", "", ""},
		{"only a name", `{"kernelspec": {"name": "python3.11"}}`, "", "", ""},
		{"R", `{"kernelspec": {"name": "ir", "language": "R"}}`, "", "", ""},
		{"another", `{"kernelspec": {"name": "rust", "language": "Rust"}}`, "", "", `asks for the kernel "rust", and there is only python (built in), node, cpp, ir`},
		{"a kernel with its own name for Python", `{"kernelspec": {"name": "sagemath", "language": "sage"}, "language_info": {"name": "python"}}`, "", "", `there is no kernel "sagemath"`},
		{"a kernel with its own name for C++", `{"kernelspec": {"name": "cpp", "language": "C++17"}, "language_info": {"name": "c++"}}`, "", "", ""},
		{"one whose kernel is damaged", `{"kernelspec": {"name": "broken", "language": "julia"}}`, "", "", `asks for the kernel "broken"`},
		{"JavaScript", `{"kernelspec": {"name": "jslab", "language": "javascript"}}`, "", "", ""},
		{"one whose interpreter is not installed", `{"kernelspec": {"name": "iruby", "language": "ruby"}}`, "", "", `asks for the kernel "iruby"`},
		{"python as JavaScript", `{}`, "node", "javascript", ""},
		{"R as python", `{"kernelspec": {"name": "ir", "language": "R"}}`, "python", "python3", ""},
		{"python as R", `{"kernelspec": {"name": "python3", "language": "python"}}`, "IR", "ir", ""},
		{"unknown", `{}`, "julia", "", `there is no kernel "julia": there is python (built in), node, cpp, ir, ir4, python3`},
		{"the same", `{"kernelspec": {"name": "python3", "language": "python"}}`, "python", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := metadataOf(t, c.metadata)
			_, set, err := somewhere.Use(m, c.asked)
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Fatalf("got %v, want %q", err, c.fails)
			}
			if (len(set) > 0) != (c.sets != "") {
				t.Errorf("got %d changes, want some: %t", len(set), c.sets != "")
			}
			for _, p := range set {
				said := p.(*event.NotebookMetadataSet)
				m[said.Key] = said.Value
			}
			if c.sets != "" && m.spec().Name != c.sets {
				t.Errorf("got kernel %+v, want %s", m.spec(), c.sets)
			}
		})
	}
}

func TestChoosingAKernelKeepsWhatElseIsOurs(t *testing.T) {
	for before, want := range map[string]string{
		`{}`: `{"kernel":"ir"}`,
		`{"quire": {"kernel": "python", "id": 7}}`: `{"id":7,"kernel":"ir"}`,
		`{"quire": null}`:                          `{"kernel":"ir"}`,
	} {
		p, err := metadataOf(t, before).choosing("ir")
		if err != nil {
			t.Fatal(err)
		}
		if said := p.(*event.NotebookMetadataSet); said.Key != "quire" || string(said.Value) != want {
			t.Errorf("from %s: got %s = %s, want %s", before, said.Key, said.Value, want)
		}
	}
}

func TestEnginesAreListedInTheOrderOfPreferenceWithTheirFaults(t *testing.T) {
	rows := somewhere.Rows()
	want := []Row{
		{Name: "python", Language: "python", Display: "Python", Aliases: []string{"py", "python3", "ipython", "ipython3", "pyspark"}, Extensions: []string{".py"}, Source: BuiltIn, Place: "built in", Interrupt: "signal", Default: true},
		{Name: "node", Language: "javascript", Display: "JavaScript", Aliases: []string{"js"}, Extensions: []string{".js", ".mjs"}, Source: Interpreter, Place: "/usr/bin/node", Interrupt: "signal", Default: true},
		{Name: "ruby", Language: "ruby", Display: "Ruby", Aliases: []string{"rb"}, Extensions: []string{".rb"}, Source: Interpreter, Fault: "it is not installed: there is no ruby in PATH"},
		{Name: "broken", Language: "julia", Aliases: []string{"jl"}, Extensions: []string{".jl"}, Source: Kernel, Fault: "no argv"},
	}
	if diff := cmp.Diff(want, rows[:4]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r4 := rows[6]; r4.Name != "ir4" || r4.Default {
		t.Errorf("got %+v, want the second kernel of R, which is not the one that executes it", r4)
	}
	byMessage := Offers{kernelOffer(jupyter.Kernel{Name: "x", ByMessage: true})}.Rows()[0]
	if byMessage.Interrupt != "message" {
		t.Errorf("got interrupt mode %q, want message", byMessage.Interrupt)
	}
}

func TestOneLanguageHasTheEngineThatIsNamedOrTheFirst(t *testing.T) {
	for _, c := range []struct{ language, name, first, fails string }{
		{"javascript", "", "", ""},
		{"r", "", "", ""},
		{"r", "IR4", "ir4", ""},
		{"python", "python3", "python3", ""},
		{"python", "python", "", ""},
		{"ruby", "", "", "ruby cannot run here: it is not installed: there is no ruby in PATH"},
		{"cobol", "", "", "cobol cannot run here: there is python (built in), node"},
		{"r", "node", "", `the engine "node" executes javascript, and the code is in r`},
		{"r", "nonsense", "", `there is no kernel "nonsense"`},
	} {
		got, err := somewhere.For(c.language, c.name)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s by %q: got %v, want %q", c.language, c.name, err, c.fails)
			}
			continue
		}
		if err != nil || got.Language != c.language || firstNames(got) != c.first {
			t.Errorf("%s by %q: got %s by %q, %v; want it by %q", c.language, c.name, got.Language, firstNames(got), err, c.first)
		}
	}
}
