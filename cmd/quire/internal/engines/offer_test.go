package engines

import (
	"strings"
	"testing"
)

func TestAnEngineIsFoundByItsNameInAnyCase(t *testing.T) {
	list := Offers{{Name: "ir", Source: Kernel}, {Name: "Rscript", Source: Interpreter}, {Name: pythonName, Source: BuiltIn}}
	for _, o := range list {
		for _, name := range []string{o.Name, strings.ToLower(o.Name), strings.ToUpper(o.Name)} {
			if got, ok := list.Named(name); !ok || got.Name != o.Name {
				t.Errorf("%q: got %q, %v, want %s", name, got.Name, ok, o.Name)
			}
		}
	}
}
