//go:build unix

package python

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// attendant is an Ask with some answers, and an error after them. It records the questions.
type attendant struct {
	mu      sync.Mutex
	answers []string
	asked   []string
}

func (s *attendant) ask(_ context.Context, q lang.Question) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q.Prompt)
	if len(s.answers) == 0 {
		return "", lang.ErrNoAnswer
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer, nil
}

// converse executes a source that asks.
func converse(t *testing.T, engine *Engine, source string, answers ...string) (*langtest.Recorder, *lang.Error, []string) {
	t.Helper()
	person := &attendant{answers: answers}
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source, Ask: person.ask}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v\n%s", source, err, sink.Text(lang.Stderr))
	}
	return sink, result.Err, person.asked
}

func TestWhatAProgramReadsIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		source  string
		answers string // with / between
		want    string
		asked   string
	}{
		"input without a prompt":  {"input()", "a", "result: 'a'", ""},
		"a prompt of any type":    {"input(7)", "a", "result: 'a'", "7"},
		"lines of stdin":          {"import sys\n[line for line in sys.stdin]", "a/b", `result: ['a\n', 'b\n']`, "//"},
		"a line of stdin":         {"import sys\nsys.stdin.readline()", "a", `result: 'a\n'`, ""},
		"all of stdin":            {"import sys\nsys.stdin.read()", "a/b", `result: 'a\nb\n'`, "//"},
		"all lines of stdin":      {"import sys\nsys.stdin.readlines()", "a/b", `result: ['a\n', 'b\n']`, "//"},
		"characters, then a line": {"import sys\nsys.stdin.read(2), input('not asked'), input('b? ')", "abc/d", "result: ('ab', 'c', 'd')", "/b? "},
		"bytes":                   {"import sys\nsys.stdin.buffer.readline()", "é", `result: b'\xc3\xa9\n'`, ""},
		"fileinput":               {"import fileinput\n[l for l in fileinput.input(files=('-',))]", "a", `result: ['a\n']`, "/"},
		"a password":              {"from getpass import getpass\ngetpass(), getpass('again: ')", "a/b", "result: ('a', 'b')", "Password: /again: "},
		"the debugger":            {"x = 7\nbreakpoint()\nx;", "x = 8/c", "", "(Pdb) /(Pdb) "},
		"a stdin of the program":  {"import io, sys\nsys.stdin = io.StringIO('own\\n')\ninput('')", "", "result: 'own'", "none"},
		"an answer that is large": {"len(input())", strings.Repeat("é", 1<<20), "result: 1048576", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sink, failed, asked := converse(t, load(t), c.source, strings.Split(c.answers, "/")...)
			if failed != nil {
				t.Fatalf("got %v\n%s", failed, strings.Join(failed.Trace, "\n"))
			}
			if got := strings.Join(sink.Lines(), "|"); c.want != "" && got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if asked == nil {
				asked = []string{"none"}
			}
			if got := strings.Join(asked, "/"); got != c.asked {
				t.Errorf("got the questions %q, want %q", got, c.asked)
			}
		})
	}
}

func TestADebuggerThatIsInterruptedEndsAndKeepsTheVariables(t *testing.T) {
	for _, python := range []string{interpreter(t), need(t, "IPython")} {
		engine := start(t, python)
		for _, debug := range []string{
			"breakpoint()",
			"import pdb\npdb.Pdb(skip=[]).set_trace()",
			"import pdb\ntry: 1 / 0\nexcept ZeroDivisionError as e:\n    pdb.post_mortem(e.__traceback__)\n    raise KeyboardInterrupt",
		} {
			ctx, cancel := context.WithCancel(deadline(t))
			ask := func(ctx context.Context, _ lang.Question) (string, error) {
				cancel()
				<-ctx.Done()
				return "", context.Cause(ctx)
			}
			source := "kept = 42\n" + debug + "\nprint('never')"
			result, err := engine.Execute(ctx, lang.Request{Source: source, Ask: ask}, &langtest.Recorder{})
			if err != nil || result.Err == nil || result.Err.Name != interruptName {
				t.Fatalf("%q: got %v, %v, want %s", debug, result.Err, err, interruptName)
			}
			expect(t, engine, "kept", "result: 42")
		}
	}
}

func TestADebuggerThatNobodyAnswersEndsAndSaysWhy(t *testing.T) {
	engine := load(t)
	run(t, engine, "try: input()\nexcept EOFError: pass") // no debugger
	result, err := engine.Execute(deadline(t), lang.Request{Source: "kept = 42\nbreakpoint()\nprint('never')"}, &langtest.Recorder{})
	want := "the debugger was left: " + errNoUser.Error()
	if err != nil || result.Err == nil || result.Err.Name != "BdbQuit" || result.Err.Message != want {
		t.Fatalf("got %v, %v, want %s", result.Err, err, want)
	}
	expect(t, engine, "kept", "result: 42")
	result, err = engine.Execute(deadline(t), lang.Request{Source: "import pdb\ntry: 1/0\nexcept ZeroDivisionError as e: pdb.post_mortem(e.__traceback__)"}, &langtest.Recorder{})
	if err != nil || result.Err == nil || result.Err.Name != "EOFError" || result.Err.Message != want {
		t.Errorf("after an error: got %v, %v, want %s", result.Err, err, want)
	}
	expect(t, engine, "kept", "result: 42")
	result, err = engine.Execute(deadline(t), lang.Request{Source: "raise __import__('bdb').BdbQuit"}, &langtest.Recorder{})
	if err != nil || result.Err == nil || result.Err.Message != "" {
		t.Errorf("got %v, %v, want an error without a message", result.Err, err)
	}
}

func TestWhatSubprocessesReadIsEmpty(t *testing.T) {
	sink, failed, asked := converse(t, load(t), "import subprocess, os\nsubprocess.run(['cat'])\nos.read(0, 9)", "a")
	if failed != nil || asked != nil || sink.PlainResult() != "b''" {
		t.Errorf("got %v, %v, %q, want nothing to read", sink.Lines(), failed, asked)
	}
}

func TestAForkedProcessCannotAsk(t *testing.T) {
	const source = "import os\nif os.fork() == 0:\n  try: input('no')\n  except EOFError as e: print(e)\n  os._exit(0)\nos.wait()\ninput('yes')"
	sink, failed, asked := converse(t, load(t), source, "a")
	if diff := cmp.Diff([]string{"yes"}, asked); diff != "" || failed != nil {
		t.Errorf("%v (-want +got):\n%s", failed, diff)
	}
	if got := sink.Lines()[0]; !strings.Contains(got, "a forked process cannot ask") {
		t.Errorf("got %q, want the reason", got)
	}
}

func TestThreadsAskInTurn(t *testing.T) {
	const source = "import concurrent.futures as f\nwith f.ThreadPoolExecutor(8) as p: got = list(p.map(input, 'abcdefgh'))\nsorted(got)"
	sink, failed, asked := converse(t, load(t), source, "1", "2", "3", "4", "5", "6", "7", "8")
	slices.Sort(asked)
	if diff := cmp.Diff(strings.Split("abcdefgh", ""), asked); diff != "" || failed != nil {
		t.Errorf("%v (-want +got):\n%s", failed, diff)
	}
	if got, want := sink.PlainResult(), "['1', '2', '3', '4', '5', '6', '7', '8']"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAThreadThatAsksDoesNotHoldUpTheNextRun ends the cell once its thread asks.
func TestAThreadThatAsksDoesNotHoldUpTheNextRun(t *testing.T) {
	engine := load(t)
	path, _ := reader(t)
	source := "import threading\nsaid = []\ndef ask():\n  try: input('late? ')\n  except EOFError as e: said.append(str(e))\n" +
		"t = threading.Thread(target=ask)\nt.start()\nopen('" + path + "').read();"
	ask := func(ctx context.Context, _ lang.Question) (string, error) {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	if _, err := engine.Execute(deadline(t), lang.Request{Source: source, Ask: ask}, &langtest.Recorder{}); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "t.join()\n"+`said[0]`, "result: '"+tooLate+"'")
}

func TestAskingBetweenRunsFailsAtOnce(t *testing.T) {
	engine := load(t)
	start, _ := reader(t)
	end, ended := reader(t)
	expect(t, engine, "import threading\nsaid = []\ndef ask():\n  open('"+start+"').read()\n  try: input()\n"+
		"  except EOFError as e: said.append(str(e))\n  open('"+end+"', 'w').close()\nthreading.Thread(target=ask).start()")
	if err := os.WriteFile(start, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ended()
	expect(t, engine, "said", "result: ['"+between+"']")
}

// TestAnInterruptFindsTheProgramAsking sends interrupts around answers: some end the question, some
// come too late, and none affects the next question.
func TestAnInterruptFindsTheProgramAsking(t *testing.T) {
	engine := load(t)
	stopped := 0
	for i := range 200 {
		ask := func(context.Context, lang.Question) (string, error) {
			return "a", engine.Interrupt()
		}
		result, err := engine.Execute(deadline(t), lang.Request{Source: "input()", Ask: ask}, &langtest.Recorder{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Err != nil {
			stopped++
			if result.Err.Name != interruptName {
				t.Fatalf("got %v", result.Err)
			}
		}
		want := strconv.Itoa(i)
		if sink, failed, _ := converse(t, engine, "int(input())", want); failed != nil || sink.PlainResult() != want {
			t.Fatalf("got %v, %v, want %s: the next question was spoiled", sink.Lines(), failed, want)
		}
	}
	t.Logf("%d of 200 questions were interrupted in time", stopped)
}

func TestAProgramMayAskAgainAfterAnInterrupt(t *testing.T) {
	engine := load(t)
	const source = "try: input('first? ')\nexcept KeyboardInterrupt: print('caught')\ninput('second? ')"
	ask := func(ctx context.Context, q lang.Question) (string, error) {
		if q.Prompt == "second? " {
			return "well", nil
		}
		if err := engine.Interrupt(); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source, Ask: ask}, sink)
	if err != nil || result.Err != nil {
		t.Fatal(err, result.Err)
	}
	if diff := cmp.Diff([]string{"stdout: caught\n", "result: 'well'"}, sink.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAQuestionOfAMagicThatIsNotAnsweredFailsTheCellAndDoesNothing(t *testing.T) {
	engine := start(t, need(t, "IPython"))
	_, failed, asked := converse(t, engine, "keep = 42\n%reset")
	want := lang.ErrNoAnswer.Error() + ": " + rerunHint
	if failed == nil || failed.Name != "EOFError" || failed.Message != want || len(asked) != 1 {
		t.Errorf("got %v after the questions %q, want an EOFError: %s", failed, asked, want)
	}
	expect(t, engine, "keep", "result: 42")
	ctx, cancel := context.WithCancel(deadline(t))
	result, err := engine.Execute(ctx, lang.Request{Source: "%reset", Ask: func(ctx context.Context, _ lang.Question) (string, error) {
		cancel()
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}, &langtest.Recorder{})
	if err != nil || result.Err == nil || result.Err.Name != interruptName {
		t.Errorf("interrupted: got %v, %v, want %s", result.Err, err, interruptName)
	}
	expect(t, engine, "keep", "result: 42")
	if _, failed, _ := converse(t, engine, "%reset", "what?", "y"); failed != nil {
		t.Fatal(failed)
	}
	expect(t, engine, "'keep' in globals()", "result: False")
}

func TestInAnUnattendedRunMagicsDecideWhatTheyWouldAsk(t *testing.T) {
	engine := start(t, need(t, "IPython"))
	well(t, engine, "keep = 42\n%reset")
	expect(t, engine, "'keep' in globals()", "result: False")
}
