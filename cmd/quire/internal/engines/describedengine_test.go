package engines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestAnEngineOfAUserIsNamedByItsPath(t *testing.T) {
	const path = "../../../../examples/engines/echo/python"
	if !IsPath("./echo") || IsPath("node") {
		t.Error("a path is not told from a name")
	}
	offers, language, err := Offers{pythonOffer()}.With(path)
	if err != nil || language != "echo" {
		t.Fatalf("got the language %q, %v, want echo", language, err)
	}
	c, err := offers.For("echo", path)
	if err != nil || len(c.first) != 1 || c.first[0].Display != path || !filepath.IsAbs(c.first[0].Place) {
		t.Errorf("got %+v, %v, want the engine first", c, err)
	}
	if _, err := offers.For(PythonLanguage, path); err == nil || !strings.Contains(err.Error(), "executes echo, and the code is in python") {
		t.Errorf("got %v, want that the languages differ", err)
	}
	if _, _, err := offers.With("./no-such-engine"); err == nil || !strings.Contains(err.Error(), "there is no engine") {
		t.Errorf("got %v, want that there is none", err)
	}
}

func TestEP30EnginesOfTheSettingsComeFirstAndAreRefusedWithAReason(t *testing.T) {
	data := t.TempDir()
	mine := filepath.Join(t.TempDir(), "mine")
	write := func(dir, manifest string) string {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "engine.json"), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	write(filepath.Join(mine, "a"), `{"name": "sums", "language": "calc", "aliases": ["calculator"], "extension": ".sum", "command": ["./run"]}`)
	write(filepath.Join(mine, "b"), `{"language": "ruby", "command": ["./run"]}`)
	f := &Factory{Config: &settings.Config{Data: data, Engines: []string{mine}}, Environ: []string{"PATH="}}
	var wrong settings.Errors
	if f.CheckEngines(&wrong); wrong.Err(f.Config) != nil {
		t.Fatal(wrong)
	}
	offers := f.Offers()
	for name, language := range map[string]string{"sums": "calc", "ruby": "ruby"} {
		if o, ok := offers.Named(name); !ok || o.Source != Described || o.Language != language {
			t.Errorf("%s: got %+v, want the engine of the settings", name, o)
		}
		if o, _ := offers.of(language); o.Source != Described {
			t.Errorf("%s is executed by %+v, want the engine of the settings", language, o)
		}
	}
	if got := offers.ID("Calculator"); got != "calc" {
		t.Errorf("the language of an alias is %q, want calc", got)
	}
	if got, ok := offers.OfExtension(".SUM"); !ok || got != "calc" {
		t.Errorf("the language of a file is %q, %v, want calc", got, ok)
	}
	c := offers.Choose(metadataOf(t, `{"quire": {"kernel": "sums"}}`), "")
	if c.Language != "calc" || firstNames(c) != "sums" {
		t.Errorf("a notebook that chooses it gets %s by %q", c.Language, firstNames(c))
	}
	for _, path := range []string{filepath.Join(mine, "a"), "./a", "../mine/a"} {
		c := offers.Choose(Metadata{"quire": []byte(`{"kernel": "` + path + `"}`)}, "")
		if c.missing == nil || len(c.first) > 0 {
			t.Errorf("a notebook that names %s gets %q", path, firstNames(c))
		}
	}

	written := write(filepath.Join(data, "files", "notebook"), `{"language": "x", "command": ["./run"]}`)
	f.Config.Engines = []string{filepath.Join(mine, "a"), mine, filepath.Join(mine, "missing"), written}
	f.CheckEngines(&wrong)
	err := wrong.Err(f.Config)
	for _, want := range []string{`two engines have the name "sums"`, "there is no engine", "among the files of notebooks"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	here, err := filepath.Abs("mine")
	if err != nil {
		t.Fatal(err)
	}
	f.Config.Engines = []string{"mine"}
	f.CheckEngines(&wrong)
	if diff := cmp.Diff([]string{here}, f.Config.Engines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
