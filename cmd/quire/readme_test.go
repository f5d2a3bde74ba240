package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// readmeStep is a command of a page with the output that the page has for it.
type readmeStep struct{ command, output string }

// readmeSteps reads the console blocks of a page of documentation.
func readmeSteps(t *testing.T, page string) []readmeStep {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var steps []readmeStep
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, readmeStep{command: command})
				continue
			}
			steps[len(steps)-1].output += line
		}
	}
	return steps
}

// The commands of a page are one shell script, in which a line says which command
// wrote what follows.
const mark = "=== "

func TestTheTourOfTheREADMEIsTrue(t *testing.T) {
	runPage(t, "README.md", 10)
}

func TestTheCommandsOfTheGuidesAreTrue(t *testing.T) {
	for page, least := range map[string]int{"docs/automation.md": 12, "docs/deployment.md": 3} {
		t.Run(filepath.Base(page), func(t *testing.T) { runPage(t, page, least) })
	}
}

// runPage runs the commands of a page, of which there are some number at least.
func runPage(t *testing.T, page string, least int) {
	steps := readmeSteps(t, page)
	if len(steps) < least {
		t.Fatalf("found %d commands in %s, want %d or more", len(steps), page, least)
	}
	var script strings.Builder
	for _, s := range steps {
		script.WriteString("echo '" + mark + "'\n" + s.command)
	}
	dir := t.TempDir()
	txtar := "serve\nexec bash tour.sh\ncp stdout $TOUR\n-- tour.sh --\nexec 2>&1\n" + script.String()
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(txtar), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if !t.Run("run", func(t *testing.T) { runTour(t, dir, out) }) {
		return
	}
	seen, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(seen), mark+"\n")[1:]
	if len(parts) != len(steps) {
		t.Fatalf("got the output of %d commands, want %d", len(parts), len(steps))
	}
	for i, s := range steps {
		if !sameBut(s.output, parts[i]) {
			t.Errorf("$ %s\ngot:\n%s\nthe page says:\n%s", s.command, parts[i], s.output)
		}
	}
}

func runTour(t *testing.T, dir, out string) {
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TOUR", out)
			return setupScript(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"serve": scriptServe},
	})
}

// sameBut reports whether got is what a text says, in which … stands for anything,
// and on a line of its own for any lines.
func sameBut(text, got string) bool {
	pattern := regexp.QuoteMeta(text)
	pattern = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(got)
}

func TestAnEllipsisStandsForWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		text, got string
		want      bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "b\n", false},
		{"", "a\n", false},
		{"id …\n", "id k3x9\n", true},
		{"id …\n", "id k3x9\nmore\n", false},
		{"a\n…\nb\n", "a\nx\ny\nb\n", true},
		{"a\n…\nb\n", "a\nb\nc\n", false},
	} {
		if got := sameBut(c.text, c.got); got != c.want {
			t.Errorf("%q, %q: got %v, want %v", c.text, c.got, got, c.want)
		}
	}
}
