package runtime

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// addMixed adds a runtime with two languages, the first of which is that of its cells.
func (w *world) addMixed(languages ...string) {
	w.add("rt", func(c *Config) {
		var specs []lang.Spec
		for _, language := range languages {
			specs = append(specs, lang.Spec{Language: language, New: func() (lang.Engine, error) { return langtest.NewScripted(), nil }})
		}
		c.Language, c.Engines = languages[0], lang.NewSet(specs)
	})
}

func TestAG7ACellMagicOfALanguageIsExecutedInThatLanguage(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("set x of python")
		w.run("%%ruby", "set x of ruby")
		same(t, w.run("get x"), []string{`result 2: text/plain "of python"`})
		same(t, w.run("%%ruby", "get x"), []string{`result 2: text/plain "of ruby"`})
		// Without an engine, or with arguments, it is up to Python: here a command that does not exist.
		same(t, w.run("%%perl", "get x"), []string{"error: SyntaxError"})
		same(t, w.run("%%ruby --bg", "get x"), []string{"error: SyntaxError"})
	})
}

func TestAG7TheMagicOfSQLIsPythonsOnceItLoadsOne(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "sql")
		w.run("set x of python")
		same(t, w.run("get x"), []string{`result 2: text/plain "of python"`})
		// The engine of SQL gets the line of the magic, too, with the name of a connection: here a command that does not exist.
		same(t, w.run("%%sql shop", "get x"), []string{"error: SyntaxError"})
		if got := w.run("%%sql", "get x"); got[len(got)-1] != "error: SyntaxError" {
			t.Errorf("got %q", got)
		}
		before := w.run("get x")
		same(t, before, []string{`result 3: text/plain "of python"`}) // neither was Python's
		w.run("%load_ext sql")
		w.run("%%sql", "get x")
		same(t, w.run("get x"), []string{`result 6: text/plain "of python"`}) // both were
	})
}

func TestAG85AMagicPassesTheValuesThatItNames(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("set x [1]", "set z kept")
		same(t, w.run("%%ruby -i x,z -o y", "get x", "set y {}"), []string{`result 1: text/plain "[1]"`})
		same(t, w.run("get y"), []string{`result 2: text/plain "{}"`})
		same(t, w.run("%%ruby", "get z"), []string{`result 2: text/plain "\"kept\""`})
	})
}

func TestAG85ARunWhoseValuesCannotBePassedFails(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("set x 1")
		same(t, w.run("%%ruby -i none", "print not executed"), []string{"error: NotPassed"})
		same(t, w.run("%%ruby -o none", "print executed"), []string{"stdout: executed\n", "error: NotPassed"})
		same(t, w.run("%%ruby -i x -o none", "error Own message"), []string{"error: Own"})
	})
}

func TestAG7ACellMagicInAnotherLanguageThanPythonIsASource(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("lua", "ruby")
		same(t, w.run("%%ruby", "print a"), []string{"error: SyntaxError"})
	})
}

func TestAG54APlaceBelowACellMagicIsInItsLanguage(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("set pythonic 1")
		w.run("%%ruby", "set rubyish 1")
		cell := w.cellOf(event.KindCode, "")
		w.until("the runtime is idle", func(n *notebook.Notebook) bool { return len(n.Queue()) == 0 })
		source := "%%ruby\nget ru"
		found, err := w.call(protocol.MethodComplete, protocol.Place{Cell: cell, Source: source, Cursor: len(source)})
		if err != nil || !strings.Contains(found, `"rubyish"`) || !strings.Contains(found, `"start":11`) {
			t.Errorf("got %s, %v; want rubyish from 11 on", found, err)
		}
		found, err = w.call(protocol.MethodComplete, protocol.Place{Cell: cell, Source: source, Cursor: 4})
		if err != nil || strings.Contains(found, `"rubyish"`) {
			t.Errorf("got %s, %v; want no name of ruby in the line of the magic", found, err)
		}
	})
}
