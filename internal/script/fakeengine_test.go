//go:build unix

package script

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// fakeVariable names the behaviour of a fake engine, which is this program of tests.
const fakeVariable = "QUIRE_FAKE_ENGINE"

func TestMain(m *testing.M) {
	if name := os.Getenv(fakeVariable); name != "" {
		fakes[name](newFake())
		return
	}
	os.Exit(m.Run())
}

// fakeEngine returns an engine with one of the behaviours, not loaded.
func fakeEngine(t *testing.T, name string, pipes Pipes, grace time.Duration) *Engine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := New(Config{
		Info: lang.Info{Language: "fake"}, Command: []string{self}, Pipes: pipes, Dir: t.TempDir(), Grace: grace,
		Env: append(os.Environ(), fakeVariable+"="+name),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

// fake is the engine's side of the protocol.
type fake struct {
	requests *bufio.Reader
	messages *os.File
	signals  chan os.Signal
}

func newFake() *fake {
	f := &fake{requests: bufio.NewReader(os.Stdin), messages: os.Stdout, signals: make(chan os.Signal, 10)}
	if os.Getenv("QUIRE_ENGINE_PIPES") == "fds" {
		f.requests, f.messages = bufio.NewReader(os.NewFile(3, "requests")), os.NewFile(4, "messages")
	}
	signal.Notify(f.signals, syscall.SIGINT)
	return f
}

func (f *fake) say(format string, args ...any) { fmt.Fprintf(f.messages, format+"\n", args...) }

// hello says hello with further fields.
func (f *fake) hello(interrupt, more string) {
	f.say(`{"type":"hello","protocol":1,"language":"fake","version":"1","interrupt":"%s"%s}`, interrupt, more)
}

// next returns the next request; the process ends when there is none.
func (f *fake) next() (r struct {
	Type, Source, Mark, Text, Why, Method, Name string
	Run, ID                                     int
	End, Interrupted                            bool
},
) {
	line, err := f.requests.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		panic(err)
	}
	return r
}

// done ends a run.
func (f *fake) done(run int) { f.say(`{"type":"done","run":%d}`, run) }

const interrupted = `"error":{"name":"Stop","cause":"interrupted"}`

// fakes are the behaviours.
var fakes = map[string]func(*fake){
	"news": func(f *fake) {
		f.say(`{"type":"from the future","x":[1]}`)
		f.say(`{"type":"progress","text":"half","done":1,"total":2,"new":{}}`)
		f.say(`{"type":"text","stream":"stdout","text":"early "}`)
		f.hello("none", `,"new":1`)
		for {
			f.done(f.next().Run)
		}
	},
	"no message": func(f *fake) {
		f.hello("none", "")
		f.next()
		f.say("Segmentation fault: not JSON")
		f.next()
		select {}
	},
	"wrong field": func(f *fake) {
		f.hello("none", "")
		f.next()
		f.say(`{"type":"done","run":"one"}`)
		f.next()
		select {}
	},
	"no hello":     func(*fake) { fmt.Fprintln(os.Stderr, "a library is missing"); os.Exit(4) },
	"version 2":    func(f *fake) { f.say(`{"type":"hello","protocol":2,"interrupt":"none"}`); f.next() },
	"no interrupt": func(f *fake) { f.say(`{"type":"hello","protocol":1,"interrupt":"maybe"}`); f.next() },
	"split": func(f *fake) {
		f.hello("none", "")
		run := f.next().Run
		f.say(`{"type":"text","stream":"stdout","base64":"8J+Q"}`)
		f.say(`{"type":"text","stream":"stdout","base64":"jmH/"}`)
		f.say(`{"type":"text","stream":"stdout","base64":"w6k="}`)
		f.say(`{"type":"text","stream":"stdout","base64":"ww=="}`)
		f.done(run)
		f.next()
	},
	"marked": func(f *fake) {
		f.hello("none", `,"raw":true`)
		for {
			r := f.next()
			for _, file := range []*os.File{os.Stdout, os.Stderr} {
				fmt.Fprintf(file, "raw %d\n%s", r.Run, r.Mark)
			}
			f.done(r.Run)
		}
	},
	"marks": func(f *fake) {
		f.hello("none", `,"marks":true`)
		r := f.next()
		mark := func(kind string, number int) string { return fmt.Sprintf("%s%s%016x", r.Mark, kind, number) }
		f.say(`{"type":"display","data":{"text/plain":"third"},"at":2}`) // what comes first is not the first
		fmt.Fprintf(os.Stderr, "%ssecond\n%s", mark("t", 1), mark("m", 2))
		time.Sleep(50 * time.Millisecond)
		fmt.Fprintf(os.Stdout, "first\n%s%sfourth\n", mark("t", 1), mark("m", 2))
		f.say(`{"type":"done","run":%d,"at":4}`, r.Run)
		fmt.Fprint(os.Stdout, mark("e", 4))
		fmt.Fprint(os.Stderr, mark("t", 3)+"fifth\n"+mark("e", 4))
		f.next()
	},
	"late": func(f *fake) {
		f.hello("none", "")
		f.done(f.next().Run)
		r := f.next()
		f.say(`{"type":"text","stream":"stdout","text":"of 1","run":1}`)
		f.say(`{"type":"text","stream":"stdout","text":"of 2"}`)
		f.done(r.Run)
		f.next()
	},
	"gone": func(f *fake) { f.hello("none", ""); f.say(`{"type":"done","run":%d,"exit":"gone"}`, f.next().Run) },
	"dies": func(f *fake) {
		f.hello("none", "")
		f.next()
		f.say(`{"type":"text","stream":"stdout","text":"last"}`)
		fmt.Fprint(os.Stderr, "words")
		os.Exit(3)
	},
	"begins": func(f *fake) {
		f.hello("signal", `,"begins":true`)
		r := f.next()
		f.say(`{"type":"text","stream":"stdout","text":"prepares\n"}`)
		select {
		case <-f.signals:
			f.say(`{"type":"text","stream":"stdout","text":"too early"}`)
		case <-time.After(300 * time.Millisecond):
		}
		f.say(`{"type":"begin","run":%d}`, r.Run)
		<-f.signals
		f.say(`{"type":"done","run":%d,%s}`, r.Run, interrupted)
		f.next()
	},
	"deaf at first": func(f *fake) {
		f.hello("signal", "")
		r := f.next()
		f.say(`{"type":"text","stream":"stdout","text":"started\n"}`)
		<-f.signals // it is lost
		<-f.signals
		f.say(`{"type":"done","run":%d,%s}`, r.Run, interrupted)
		f.next()
	},
	"by message": func(f *fake) {
		f.hello("message", "")
		for {
			r := f.next()
			f.say(`{"type":"text","stream":"stdout","text":"started\n"}`)
			if i := f.next(); i.Type == "interrupt" && i.Run == r.Run {
				f.say(`{"type":"done","run":%d,%s}`, r.Run, interrupted)
			}
		}
	},
	"unstoppable": func(f *fake) {
		f.hello("none", "")
		f.next()
		f.say(`{"type":"text","stream":"stdout","text":"started\n"}`)
		select {}
	},
	"asks": func(f *fake) {
		f.hello("signal", `,"begins":true`)
		for id := 1; ; id++ {
			r := f.next()
			f.say(`{"type":"begin","run":%d}`, r.Run)
			f.say(`{"type":"ask","id":%d,"prompt":"name? ","secret":true}`, id)
			a := f.next()
			f.say(`{"type":"text","stream":"stdout","text":"%s %s %v %v"}`, a.Text, a.Why, a.End, a.Interrupted)
			if a.Interrupted {
				f.say(`{"type":"done","run":%d,%s}`, r.Run, interrupted)
			} else {
				f.done(r.Run)
			}
		}
	},
	"calls": func(f *fake) {
		f.hello("message", `,"can":["complete","get","drain"]`)
		for {
			switch r := f.next(); {
			case r.Method == "complete":
				f.say(`{"type":"reply","id":%d,"value":{"start":0,"end":1,"items":[{"text":"xy","kind":"name"}]}}`, r.ID)
			case r.Method == "get" && r.Name == "slow":
				for i := f.next(); i.Type != "interrupt" || i.ID != r.ID; i = f.next() { // of this call
				}
				f.say(`{"type":"reply","id":%d,%s}`, r.ID, interrupted)
			case r.Method == "get":
				f.say(`{"type":"reply","id":%d,"error":{"name":"NameError","message":"there is no %s"}}`, r.ID, r.Name)
			case r.Method == "drain":
				f.say(`{"type":"text","stream":"stdout","text":"drained"}`)
				f.say(`{"type":"reply","id":%d}`, r.ID)
			case r.Type == "run":
				f.done(r.Run)
			}
		}
	},
	"stays": func(f *fake) {
		f.hello("none", "")
		f.done(f.next().Run)
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		_, _ = f.requests.ReadByte()
		select {}
	},
}
