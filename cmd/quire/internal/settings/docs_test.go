package settings

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
		"environment a switch is 1 or 0.\n\n" +
		"A SIZE is a number with K, M, G or T, a DURATION one such as 90s, 30m or 24h, and N a number from 1.\n")
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
			case *[]string:
				value = "list of " + string(s.Unit)
			}
			commands := strings.ReplaceAll(s.Commands, " ", ", ")
			if s.Group == Common {
				commands = "all"
			}
			fmt.Fprintf(&b, "| `--%s` | `%s` | `%s` | %s | %s | %s | %s |\n", s.Name, s.Variable, s.Key, value, cmp.Or(s.Without, s.Default), commands, s.Help)
		}
	}
	return b.String()
}
