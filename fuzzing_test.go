package quire_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

var (
	fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	fuzzNamed  = regexp.MustCompile(`\bFuzz[A-Z]\w*`)
)

func TestEveryFuzzTargetStandsInTheTable(t *testing.T) {
	doc, err := os.ReadFile("docs/fuzzing.md")
	if err != nil {
		t.Fatal(err)
	}
	named := fuzzNamed.FindAllString(string(doc), -1)
	if len(named) == 0 {
		t.Fatal("the table names no target")
	}
	var there []string
	for _, name := range goFiles(t) {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fuzzTarget.FindAllStringSubmatch(string(source), -1) {
			if there = append(there, m[1]); !slices.Contains(named, m[1]) {
				t.Errorf("%s: docs/fuzzing.md does not say what %s reads", name, m[1])
			}
		}
	}
	for _, name := range named {
		if !slices.Contains(there, name) {
			t.Errorf("docs/fuzzing.md names %s, and there is no such target", name)
		}
	}
}
