package settings

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/settings.md again")

func TestTheSettingsAreDocumented(t *testing.T) {
	got := page()
	path := filepath.Join("..", "..", "..", "..", "docs", "settings.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diff.Diff(string(want), got); diff != "" {
		t.Errorf("docs/settings.md is out of date, run this test with -update (-want +got):\n%s", diff)
	}
}

// page returns the documentation of all settings.
func page() string {
	var b strings.Builder
	b.WriteString("# Settings\n\nWritten from the table of settings by `go test ./cmd/quire/internal/settings -run SettingsAreDocumented -update`.\n\n" +
		"A flag counts more than an environment variable, that more than the configuration file, and that more than the default. The file is\n" +
		"`~/.config/quire/config.json`, or the one that `QUIRE_CONFIG` names: a JSON object such as `{\"memory\": \"2G\", \"sandbox\": true}`. In the\n" +
		"environment a switch is 1 or 0. A variable that is empty counts as one that is not set; an empty flag is refused.\n\n" +
		"A SIZE is a number of bytes, or one with K, M, G or T, powers of 1024, such as 512M or 1.5G; a DURATION is one such as 90s, 30m or 24h, and\n" +
		"N a number from 1. Some have a least value, and one below it is refused. A list is an array in the file, and a flag that is given again; in a\n" +
		"variable its elements are separated as said.\n")
	for _, group := range []Group{Common, Runtimes, Limits, Sandbox, Network, Storage, Logging} {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | variable | key in the file | value | default | commands | |\n|---|---|---|---|---|---|---|\n", group)
		for _, s := range in(group) {
			if s.Variable == "" {
				continue
			}
			value := "switch"
			switch s.field(new(Config)).(type) {
			case *string:
				value = string(s.Unit)
				if s.Least != "" {
					value += " from " + s.Least
				}
			case *[]string:
				value = "list of " + string(s.Unit) + ", with `:` between"
				if s.Words {
					value = "list of " + string(s.Unit) + ", with commas between"
				}
			}
			commands := strings.ReplaceAll(s.Commands, " ", ", ")
			if s.Group == Common {
				commands = "all"
			}
			fmt.Fprintf(&b, "| `--%s` | `%s` | `%s` | %s | %s | %s | %s |\n", s.Name, s.Variable, s.Key, value, s.defaults(), commands, s.Help)
		}
	}
	return b.String()
}

// defaults returns the default of a setting, and those of commands with another.
func (s *Setting) defaults() string {
	text := cmp.Or(s.Without, s.Default)
	for _, command := range slices.Sorted(maps.Keys(s.In)) {
		if other := s.In[command].Without; other != "" {
			text += fmt.Sprintf(" (`quire %s`: %s)", command, other)
		}
	}
	return text
}
