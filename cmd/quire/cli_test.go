package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// offline returns an app without an environment, and its streams.
func offline() (a *app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &app{config: settings.Read(env(), home, settings.File{}), stdin: strings.NewReader(""), stdout: stdout, stderr: stderr}, stdout, stderr
}

// cliPage is docs/cli.md as the commands describe themselves.
func cliPage(a *app) string {
	root := a.root()
	root.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten from what `quire help` says by `go test ./cmd/quire -run CommandLineIsDocumented -update`.\n\n")
	b.WriteString(root.Long + "\n\nFlags of all commands:\n\n")
	writeBlock(&b, root.PersistentFlags().FlagUsages())
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "## %s\n\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				writeCommand(&b, cmd)
			}
		}
	}
	b.WriteString("## Exit codes\n\n")
	writeBlock(&b, exitCodesTopic().Long)
	return strings.TrimSuffix(b.String(), "\n")
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### quire %s\n\n", cmd.Name())
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	b.WriteString(about + "\n\n")
	text := cmd.UseLine() + "\n"
	if cmd.HasExample() {
		text += "\n" + cmd.Example + "\n"
	}
	if flags := cmd.NonInheritedFlags().FlagUsages(); flags != "" {
		text += "\n" + flags
	}
	writeBlock(b, text)
}

func writeBlock(b *strings.Builder, text string) {
	b.WriteString("```\n" + strings.TrimRight(text, "\n") + "\n```\n\n")
}

func TestAgentIsAHiddenNameOfTheRuntimeCommand(t *testing.T) {
	said := func(args ...string) string {
		a, _, stderr := offline()
		if got := a.execute(t.Context(), args); got != exitUsage {
			t.Errorf("%q: got exit code %d, want %d", args, got, exitUsage)
		}
		return stderr.String()
	}
	flags := []string{"--runtime", "a b", "--idle", "soon"}
	got, want := said(append([]string{"agent"}, flags...)...), said(append([]string{"runtime"}, flags...)...)
	if got != want || !strings.Contains(got, "--runtime: ") {
		t.Errorf("got %q from agent and %q from runtime, want the same", got, want)
	}
	a, stdout, _ := offline()
	if code := a.execute(t.Context(), []string{"help"}); code != exitOK || strings.Contains(stdout.String(), "  agent ") || !strings.Contains(stdout.String(), "  runtime ") {
		t.Errorf("got %d and %s, want runtime in the help and not agent", code, stdout)
	}
}

var update = flag.Bool("update", false, "write docs/cli.md again")

func TestTheCommandLineIsDocumented(t *testing.T) {
	a, _, _ := offline()
	got := cliPage(a)
	path := filepath.Join("..", "..", "docs", "cli.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/cli.md is out of date, run this test with -update (-want +got):\n%s", diff)
	}
}

func TestEveryCommandSaysWhatItIsFor(t *testing.T) {
	a, _, _ := offline()
	for _, cmd := range a.root().Commands() {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: got short help %q, want a phrase", cmd.Name(), cmd.Short)
		}
		for line := range strings.Lines(cmd.Long) {
			if len(line) > 86 {
				t.Errorf("%s: a line of its help has %d characters, want at most 85: %s", cmd.Name(), len(line), line)
			}
		}
		if cmd.RunE != nil && cmd.Args == nil {
			t.Errorf("%s does not say which arguments it takes", cmd.Name())
		}
	}
}

func TestMistakesOfUsageAreExplainedAndExitWithTwo(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, "quire: unknown command \"nonsense\" for \"quire\"; see `quire --help`\n"},
		{[]string{"shwo"}, "quire: unknown command \"shwo\" for \"quire\": did you mean show?; see `quire --help`\n"},
		{[]string{"--data", "/lost", "shwo"}, "quire: unknown command \"shwo\" for \"quire\": did you mean show?; see `quire --help`\n"},
		{[]string{"nb"}, "quire: unknown command \"nb\" for \"quire\"; see `quire --help`\n"},
		{[]string{"completion", "foo"}, "quire: there are no completions for \"foo\": the shells are bash, fish, powershell and zsh; see `quire completion --help`\n"},
		{[]string{"rename", "a"}, "quire: rename needs TITLE; see `quire rename --help`\n"},
		{[]string{"rename"}, "quire: rename needs NOTEBOOK and TITLE; see `quire rename --help`\n"},
		{[]string{"new", "a", "b"}, "quire: new takes TITLE, got \"b\" besides; see `quire new --help`\n"},
		{[]string{"ls", "--nonsense"}, "quire: unknown flag: --nonsense; see `quire ls --help`\n"},
		{[]string{"eval", "-l", "sql", "-- param: x = 1"}, "quire: unknown flag: -- param: x ; a text that begins with - is given last, behind --; see `quire eval --help`\n"},
		{[]string{"eval", "-x + 1"}, "quire: unknown flag: -x in -x + 1; a text that begins with - is given last, behind --; see `quire eval --help`\n"},
	} {
		a, stdout, stderr := offline()
		if got := a.execute(t.Context(), c.args); got != exitUsage {
			t.Errorf("%q: got exit code %d, want %d", c.args, got, exitUsage)
		}
		if stderr.String() != c.want || stdout.Len() > 0 {
			t.Errorf("%q: got %q on stderr, want %q", c.args, stderr.String(), c.want)
		}
	}
}

func TestHelpGoesToStdout(t *testing.T) {
	a, stdout, stderr := offline()
	if got := a.execute(t.Context(), []string{"help"}); got != exitOK || stderr.Len() > 0 {
		t.Errorf("got exit code %d and %q, want none", got, stderr)
	}
	if text, _ := io.ReadAll(stdout); !bytes.Contains(text, []byte("quire run FILE")) {
		t.Errorf("got %q, want help", text)
	}
}
