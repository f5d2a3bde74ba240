package roomtest

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheSuiteHoldsEveryRule names the rules once more, so that a rule that left
// the suite or spec/log.md is missed: ST1, ST2, ST3, ST4, ST5, ST6, ST7, ST8, ST9,
// ST10, ST11, ST12, ST13, ST14, ST15, ST16.
func TestTheSuiteHoldsEveryRule(t *testing.T) {
	spec, err := os.ReadFile("../../../spec/log.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^- \*\*(ST\d+)\*\*`).FindAllStringSubmatch(string(spec), -1) {
		want[m[1]] = true
	}
	got := map[string]bool{}
	for _, r := range rules {
		id, _, _ := strings.Cut(r.name, " ")
		got[id] = true
	}
	sorted := func(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("rules of the suite (-spec +suite):\n%s", diff)
	}
}
