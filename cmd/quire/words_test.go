package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// innerWords are words of the program that no person has asked for: packages and types of Go, names of
// events, and files that it makes for itself.
var innerWords = regexp.MustCompile(`strconv\.|(?:^|[^.])\bjson: |\bEOF\b|if any flags|%!|\*\w+\.\w+|\.quire-|ParseUint|ParseInt|ParseBool|ParseFloat|time: invalid|` +
	`invalid argument|\bnil\b|(Cell|Notebook|Source|Run|Output)[A-Z][a-z]+: |goroutine|context deadline|\ba editor\b|` +
	`listen tcp|tls: |dial tcp|read tcp|write tcp|invalid character|exit status|bad flag|shorthand|SHA-256|read \S+: is a|open \S+: no|-x in -x\b`)

// wrong are command lines that are not right, whatever a server would say: each ends with 2.
func wrong(dir string) [][]string {
	in := func(name string) string { return filepath.Join(dir, name) }
	return [][]string{
		{"nonsense"},
		{"help", "nonsense"},
		{"help", "show", "nonsense"},
		{"--nonsense"},
		{"ls", "-x"},
		{"ls", "-jx"},
		{"ls", "---x"},
		{"ls", "--=x"},
		{"ls", "--server"},
		{"ls", "--server", "http://127.0.0.1:99999"},
		{"ls", "--server", "http://:80"},
		{"ls", "--server", "http://127.0.0.1:1", "--token", "a\nb"},
		{"ls", "--json=maybe"},
		{"ls", "--color", "sometimes"},
		{"ls", "x"},
		{"ls", "--server", "nonsense"},
		{"show"},
		{"show", ""},
		{"delete", "a", ""},
		{"serve", "--memory", ""},
		{"serve", "--artifacts="},
		{"limits", "a", "--memory", ""},
		{"edit", "a", "@1"},
		{"show", "--json=7", "a"},
		{"history", "a"},
		{"history", "a", "--at", "x"},
		{"history", "a", "--at", "-1"},
		{"history", "a", "--at", "99999999999999999999"},
		{"log", "a", "--after", "-1"},
		{"log", "a", "--after", "1.5"},
		{"log", "a", "--after"},
		{"eval"},
		{"eval", "1", "2"},
		{"eval", "1", "--file", in("x.py")},
		{"eval", "--file", in("none.py")},
		{"eval", "-l", "cobol", "1"},
		{"eval", "--engine", "nonsense", "1"},
		{"eval", "-e", "NAME", "1"},
		{"eval", "-e", "=x", "1"},
		{"eval", "--timeout", "-1s", "1"},
		{"eval", "--memory", "nonsense", "1"},
		{"new", ""},
		{"new", " "},
		{"new", "\xff"},
		{"new", strings.Repeat("x", 2000)},
		{"rename", "a", ""},
		{"rename", "a", strings.Repeat("x", 2000)},
		{"add", "a", "x", "--kind", "foo"},
		{"add", "a", "x", "--kind", ""},
		{"add", "a", "x", "--lang", "klingon"},
		{"mv", "a", "@1"},
		{"mv", "a", "@1", "--first", "--last"},
		{"edit", "a"},
		{"rm", "a"},
		{"restore"},
		{"restore", "a", ""},
		{"restore", "a", "b", "--at", "3"},
		{"restore", "a", "--at", "x"},
		{"restore", "a", "b", "--dry-run"},
		{"exec", "a"},
		{"exec", "a", "--all", "--cell", "@1"},
		{"exec", "a", "--all", "--timeout", "-5s"},
		{"exec", "a", "--all", "--timeout", "soon"},
		{"restart", "a", "--run-all", "--timeout", "-5s"},
		{"restart", "a", "--keep-going"},
		{"mcp", "x"},
		{"mcp", "--allow", "everything"},
		{"provider", "drop"},
		{"provider", "add"},
		{"provider", "add", "mine", "--kind", "oracle"},
		{"ask", "a"},
		{"ask", "a", "why?", "--approve", "perhaps"},
		{"ask", "a", "why?", "--approve", "ask"},
		{"ask", "a", ""},
		{"connection", "drop"},
		{"connection", "add"},
		{"connection", "add", "Shop"},
		{"token", "--name", "x"},
		{"token", "--notebook", "a", "--name", "x", "--role", "god"},
		{"token", "--notebook", "a", "--name", "x", "--expires", "100000h"},
		{"token", "--notebook", "a", "--name", "x", "--expires", "0s"},
		{"token", "--notebook", "a", "--name", "x", "--expires", "long"},
		{"token", "--notebook", "a", "--name", "a b"},
		{"audit", "--since", "yesterday"},
		{"audit", "x"},
		{"purge", "a"},
		{"purge"},
		{"trust"},
		{"limits", "a", "--memory", "0"},
		{"limits", "a", "--memory", "much"},
		{"limits", "a", "--cpu", "-1s"},
		{"limits", "a", "--files", "x"},
		{"import", "https://example.org/x.ipynb"},
		{"import", in("none.ipynb")},
		{"import", dir},
		{"import", "."},
		{"import", ""},
		{"import", in("script.py/x.ipynb")},
		{"add", "a", "\xff"},
		{"add", "a", "x", "--after", ""},
		{"edit", "a", "b", "--set", "\xff"},
		{"exec", "a", "--cell", ""},
		{"import", in("x.docx")},
		{"import", in("bad.ipynb"), "--format", "docx"},
		{"import", in("bad.ipynb"), "--title", " "},
		{"export", "a", in("no/x.ipynb")},
		{"export", "a", dir},
		{"export", "a", in("x.docx")},
		{"export", "a", in("x.ipynb"), "--format", "docx"},
		{"export", "a", ""},
		{"artifact", "a", "9f86"},
		{"artifact", "a", strings.Repeat("0", 64)},
		{"artifact", "a", strings.Repeat("0", 64), "-o", in("no/x")},
		{"run", "https://example.org/x.ipynb"},
		{"run", in("none.ipynb")},
		{"run", dir},
		{"run", in("bad.ipynb")},
		{"run", in("empty.ipynb")},
		{"run", in("number.ipynb")},
		{"run", in("list.ipynb")},
		{"run", in("good.ipynb"), "-o", in("no/x.ipynb")},
		{"run", in("good.ipynb"), "-o", dir},
		{"run", in("good.ipynb"), "-o", ""},
		{"run", in("good.ipynb"), "--report", ""},
		{"run", in("good.ipynb"), "--params-file", ""},
		{"run", in("good.ipynb"), "--params-file", dir},
		{"run", "."},
		{"run", ""},
		{"run", in("good.ipynb"), "-o", in("x.docx")},
		{"run", in("good.ipynb"), "--report", in("no/x.xml")},
		{"run", in("good.ipynb"), "-o", "x.ipynb", "--in-place"},
		{"run", in("good.ipynb"), "-o", in("y.ipynb"), "--report", in("y.ipynb")},
		{"run", in("good.ipynb"), "-o", in("good.ipynb")},
		{"run", in("good.ipynb"), "-o", "good.ipynb"},
		{"run", in("good.ipynb"), "--report", in("good.ipynb")},
		{"run", in("good.ipynb"), "-o", "-", "--report", "-"},
		{"run", in("script.py"), "-o", in("script.py")},
		{"run", in("good.ipynb"), "--params-file", in("good.ipynb"), "-o", in("good.ipynb")},
		{"run", in("good.ipynb"), "--timeout", "-1s"},
		{"run", in("good.ipynb"), "--timeout", "x"},
		{"run", in("good.ipynb"), "-p", "x"},
		{"run", in("good.ipynb"), "-p", "1x=2"},
		{"run", in("good.ipynb"), "--params-file", in("none.json")},
		{"run", in("good.ipynb"), "--params-file", in("bad.ipynb")},
		{"run", in("good.ipynb"), "--params-file", in("list.ipynb")},
		{"run", in("good.ipynb"), "--params-file", in("text.ipynb")},
		{"run", in("good.ipynb"), "--params-file", in("behind.ipynb")},
		{"run", in("good.ipynb"), "--params-file", in("empty.ipynb")},
		{"run", in("good.ipynb"), "--kernel", "klingon"},
		{"run", in("script.py"), "--in-place"},
		{"run", in("good.ipynb"), "--json", "-v"},
		{"run", in("good.ipynb"), "--json", "-o", "-"},
		{"kernel", "a", "klingon"},
		{"engines", "x"},
		{"engines", "--python", in("none")},
		{"clear"},
		{"convert", "a"},
		{"convert", in("good.ipynb"), "good.ipynb"},
		{"convert", in("bad.ipynb"), in("x.md")},
		{"convert", in("none.ipynb"), "x.md"},
		{"convert", in("good.ipynb"), in("no/x.md")},
		{"convert", in("good.ipynb"), "x.docx"},
		{"convert", in("good.ipynb"), "-", "--to", "docx"},
		{"watch"},
		{"interrupt"},
		{"stop"},
		{"delete"},
		{"link", "x"},
		{"version", "x"},
		{"doctor", "x"},
		{"completion", "x"},
		{"serve", "--addr", "nonsense"},
		{"serve", "--addr", "127.0.0.1:99999"},
		{"serve", "--addr", "127.0.0.1:x"},
		{"serve", "--host", "a b"},
		{"serve", "--tls-cert", in("none.pem"), "--tls-key", in("script.py")},
		{"serve", "--tls-cert", in("script.py"), "--tls-key", in("script.py")},
		{"serve", "--tls-cert", dir, "--tls-key", in("script.py")},
		{"serve", "--memory", "0"},
		{"serve", "--idle", "x"},
		{"serve", "--log-level", "loud"},
		{"serve", "--log-format", "xml"},
		{"serve", "--max-runtimes", "x"},
		{"runtime"},
		{"runtime", "--notebook", "a", "--server", "http://127.0.0.1:1", "--token-file", in("none")},
		{"runtime", "--notebook", "a", "--server", "http://127.0.0.1:1", "--token-file", dir},
		{"runtime", "--notebook", "a", "--server", "http://127.0.0.1:1", "--token-file", in("empty.ipynb")},
	}
}

func wrongDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bad.ipynb": `{"cells": [`, "empty.ipynb": "", "number.ipynb": `{"nbformat": "x", "cells": 3}`, "list.ipynb": "[1]", "script.py": "1", "text.ipynb": "\xff", "behind.ipynb": "{} x",
		"good.ipynb": `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAWrongCommandLineEndsWithTwoAndIsExplainedInWords(t *testing.T) {
	dir := wrongDir(t)
	t.Chdir(dir)
	seen := map[string]bool{}
	for _, args := range wrong(dir) {
		a, stdout, stderr := offline()
		a.config.Data = filepath.Join(dir, "data")
		if got := a.execute(t.Context(), args); got != exitUsage {
			t.Errorf("%q: got exit code %d and %s, want %d", args, got, stderr, exitUsage)
		}
		text := stderr.String()
		if !strings.HasPrefix(text, "quire: ") || stdout.Len() > 0 {
			t.Errorf("%q: got %q and %q, want a message on stderr", args, stdout, text)
		}
		if word := innerWords.FindString(strings.ReplaceAll(text, dir, "")); word != "" {
			t.Errorf("%q: got %q with the inner word %q", args, text, word)
		}
		seen[args[0]] = true
	}
	a, _, _ := offline()
	for _, cmd := range a.root().Commands() {
		if cmd.RunE != nil && !seen[cmd.Name()] && !cmd.Hidden {
			t.Errorf("no wrong command line for %s is tried", cmd.Name())
		}
	}
}

func TestWhatEachVariableSetsTheFileCanSet(t *testing.T) {
	inFile := map[string]bool{"QUIRE_CONFIG": true}
	for _, variable := range settings.Variables() {
		inFile[variable] = true
	}
	variables := regexp.MustCompile(`QUIRE_[A-Z_]+`)
	a, _, _ := offline()
	root := a.root()
	check := func(cmd *cobra.Command) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				for _, variable := range variables.FindAllString(f.Usage, -1) {
					if !inFile[variable] {
						t.Errorf("%s --%s: the file cannot set %s", cmd.Name(), f.Name, variable)
					}
				}
			})
		}
	}
	check(root)
	for _, cmd := range root.Commands() {
		check(cmd)
	}
}

func TestATokenSaysWhatItIsGoodFor(t *testing.T) {
	if got := client.TokenNotebook("qt_eyJraW5kIjoia2V5IiwibmFtZSI6IngiLCJub3RlYm9vayI6ImFiYyJ9.c2ln"); got != "abc" {
		t.Errorf("got %q, want abc", got)
	}
	for _, token := range []string{"", "x", "qt_", "qt_.", "qt_!!.x", strings.Repeat("ab", 32)} {
		if got := client.TokenNotebook(token); got != "" {
			t.Errorf("%q: got %q, want nothing", token, got)
		}
	}
}
