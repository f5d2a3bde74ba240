package engines

import (
	"strings"
	"testing"
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
	if err != nil || len(c.first) != 1 || c.first[0].Place != path {
		t.Errorf("got %+v, %v, want the engine first", c, err)
	}
	if _, err := offers.For(PythonLanguage, path); err == nil || !strings.Contains(err.Error(), "executes echo, and the code is in python") {
		t.Errorf("got %v, want that the languages differ", err)
	}
	if _, _, err := offers.With("./no-such-engine"); err == nil || !strings.Contains(err.Error(), "there is no engine") {
		t.Errorf("got %v, want that there is none", err)
	}
}
