package wasi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
)

// Variables with which a test starts this program as an engine.
const (
	childLanguage = "QUIRE_WASI_TEST_LANGUAGE"
	childMemory   = "QUIRE_WASI_TEST_MEMORY"
	childFolder   = "QUIRE_WASI_TEST_FOLDER"
	childWritable = "QUIRE_WASI_TEST_WRITABLE"
)

func TestMain(m *testing.M) {
	if language := os.Getenv(childLanguage); language != "" {
		if err := serveChild(language); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveChild(language string) error {
	e, err := userStore().Engine(language)
	if err != nil {
		return err
	}
	memory, _ := strconv.ParseInt(os.Getenv(childMemory), 10, 64)
	c := Config{Engine: e, Cache: userCache(), Memory: memory, Folder: os.Getenv(childFolder), Writable: os.Getenv(childWritable) != ""}
	pipes, err := engineproto.Standard("")
	if err != nil {
		return err
	}
	return engineproto.Serve(context.Background(), pipes, New(c))
}

// userStore is the store of the user, which tests use as it is and never change.
func userStore() Store {
	home, _ := os.UserHomeDir()
	return Store{Dir: filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "quire", "engines")}
}

func userCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "quire", "engines")
}

// engine is an engine in a process of its own.
type engine struct {
	t        *testing.T
	cmd      *exec.Cmd
	requests io.WriteCloser
	lines    *engineproto.Lines
	hello    *engineproto.Hello
	runs     int
	answers  []string // to questions, in turn; then there are none
}

// startEngine starts the engine of a language, and skips the test if that is not installed.
func startEngine(t *testing.T, language string, env ...string) *engine {
	t.Helper()
	if _, err := userStore().Engine(language); err != nil {
		t.Skip(err)
	}
	e := &engine{t: t, cmd: exec.Command(os.Args[0])}
	e.cmd.Env = append(os.Environ(), append([]string{childLanguage + "=" + language, "PLANTED=secret"}, env...)...)
	e.cmd.Stderr = os.Stderr
	var err error
	if e.requests, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.requests.Close()
		_ = e.cmd.Process.Kill()
		_ = e.cmd.Wait()
	})
	e.lines = engineproto.NewLines(out)
	for e.hello == nil {
		switch m := e.next().(type) {
		case *engineproto.Hello:
			e.hello = m
		case nil:
			t.Fatalf("%s did not start", language)
		}
	}
	return e
}

// next returns the next message, nil when there are no more.
func (e *engine) next() engineproto.FromEngine {
	e.t.Helper()
	line, err := e.lines.Next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		e.t.Fatal(err)
	}
	m, err := engineproto.DecodeFromEngine(line)
	if err != nil {
		e.t.Fatal(err)
	}
	return m
}

func (e *engine) send(m engineproto.FromHost) {
	e.t.Helper()
	line, err := engineproto.EncodeFromHost(m)
	if err == nil {
		_, err = e.requests.Write(line)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// ran is what a run gave.
type ran struct {
	out  string // its outputs in order: text of stderr behind "!", displays and results behind "<type>"
	err  *engineproto.Error
	exit engineproto.Exit
}

// start sends a run.
func (e *engine) start(source string) {
	e.runs++
	e.send(&engineproto.Run{Run: e.runs, Source: source, Name: "cell"})
}

// run executes a source to its end.
func (e *engine) run(source string) ran {
	e.t.Helper()
	e.start(source)
	return e.finish()
}

func (e *engine) finish() ran {
	e.t.Helper()
	var r ran
	var out strings.Builder
	for {
		switch m := e.next().(type) {
		case nil:
			e.t.Fatal("the engine has ended in a run")
		case *engineproto.Text:
			if m.Stream == "stderr" {
				out.WriteString("!")
			}
			out.WriteString(m.Text + string(m.Base64))
		case *engineproto.Result:
			out.WriteString("<result>" + plain(m.Data))
		case *engineproto.Display:
			out.WriteString("<display " + m.ID + ">" + plain(m.Data))
		case *engineproto.Update:
			out.WriteString("<update " + m.ID + ">" + plain(m.Data))
		case *engineproto.Clear:
			fmt.Fprintf(&out, "<clear %v>", m.Wait)
		case *engineproto.Ask:
			fmt.Fprintf(&out, "<ask %q %v>", m.Prompt, m.Secret)
			a := &engineproto.Answer{ID: m.ID, End: len(e.answers) == 0}
			if !a.End {
				a.Text, e.answers = e.answers[0], e.answers[1:]
			}
			e.send(a)
		case *engineproto.Done:
			r.out, r.err, r.exit = out.String(), m.Error, m.Exit
			return r
		}
	}
}

// plain returns what the text types of a bundle have, HTML first.
func plain(data map[string]json.RawMessage) string {
	var text string
	for _, kind := range []string{"text/plain", "text/html"} {
		if raw, ok := data[kind]; ok {
			_ = json.Unmarshal(raw, &text) // what is no string shows as what was there before
		}
	}
	return text
}

// gives fails unless a source succeeds with these outputs.
func (e *engine) gives(source, want string) {
	e.t.Helper()
	if r := e.run(source); r.err != nil || r.out != want {
		e.t.Errorf("%s\n  gave %q, error %v\n  want %q", source, r.out, r.err, want)
	}
}

// call calls a method and decodes the value.
func (e *engine) call(c *engineproto.Call, value any) error {
	e.t.Helper()
	c.ID = 1
	e.send(c)
	for {
		switch m := e.next().(type) {
		case nil:
			e.t.Fatal("the engine has ended in a call")
		case *engineproto.Reply:
			if m.Error != nil {
				return m.Error
			}
			if value == nil || len(m.Value) == 0 {
				return nil
			}
			return json.Unmarshal(m.Value, value)
		}
	}
}

// interruptWhen interrupts a run once it has printed, and returns its end.
func (e *engine) interruptWhen(source string) ran {
	e.t.Helper()
	e.start(source)
	for {
		m := e.next()
		if m == nil {
			e.t.Fatal("the engine has ended in a run")
		}
		if done, is := m.(*engineproto.Done); is {
			e.t.Fatalf("the run ended by itself: %v", done.Error)
		}
		if _, is := m.(*engineproto.Text); is {
			break
		}
	}
	e.send(&engineproto.Interrupt{Run: e.runs})
	return e.finish()
}
