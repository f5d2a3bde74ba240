package e2e_test

import (
	"debug/elf"
	"testing"
)

// A program that executes templates looks methods up by name, so the linker keeps every exported method of every type that it can
// reach: the binary and the memory of each of its processes grow by a fifth.
func TestTheProgramExecutesNoTemplates(t *testing.T) {
	file, err := elf.Open(buildProgram(t))
	if err != nil {
		t.Skip("the binary is not ELF:", err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, symbol := range symbols {
		switch symbol.Name {
		case "main.main":
			found = true
		case "text/template.(*state).evalField":
			t.Errorf("the binary has %s: find what uses it with go build -ldflags=-dumpdep", symbol.Name)
		}
	}
	if !found {
		t.Error("the symbols of the binary have no main.main")
	}
}
