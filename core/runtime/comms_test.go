package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

const slider = `comm-open w jupyter.widget {"state":{"value":1,"max":9},"buffer_paths":[]}`

// told returns the events of comms in the log, with outputs and the ends of runs, in short.
func (w *world) told() (all []string) {
	w.t.Helper()
	for _, e := range w.events() {
		switch p := e.Payload.(type) {
		case *event.CommOpened:
			all = append(all, fmt.Sprintf("opened %s %s in %q: %s", p.Comm, p.Target, p.Run, content(p.State, p.Data, p.Buffers)))
		case *event.CommUpdated:
			all = append(all, fmt.Sprintf("updated %s: %s", p.Comm, content(p.State, nil, p.Buffers)))
		case *event.CommSent:
			all = append(all, fmt.Sprintf("sent %s by %q: %s", p.Comm, p.From, content(nil, p.Content, p.Buffers)))
		case *event.CommClosed:
			all = append(all, fmt.Sprintf("closed %s: %s", p.Comm, p.Content))
		case *event.CommsLost:
			all = append(all, fmt.Sprintf("lost %s", p.Comms))
		case *event.OutputAdded:
			all = append(all, "output "+strings.TrimSpace(p.Value.Text+string(p.Value.Data["text/plain"])))
		case *event.RunFinished:
			all = append(all, "finished "+string(p.Status))
		}
	}
	return all
}

func content(state map[string]json.RawMessage, data json.RawMessage, buffers []event.Buffer) string {
	var parts []string
	if state != nil {
		text, _ := json.Marshal(state)
		parts = append(parts, string(text))
	}
	if data != nil {
		parts = append(parts, string(data))
	}
	for _, b := range buffers {
		text, _ := json.Marshal(b)
		parts = append(parts, string(text))
	}
	return strings.Join(parts, " ")
}

// comm waits until a comm is so.
func (w *world) comm(id event.CommID, is func(*notebook.Comm) bool) {
	w.t.Helper()
	w.until(fmt.Sprintf("comm %s is so", id), func(n *notebook.Notebook) bool {
		c := n.Comm(id)
		return c != nil && is(c)
	})
}

// valueIs returns whether the value of a slider is this one.
func valueIs(want string) func(*notebook.Comm) bool {
	return func(c *notebook.Comm) bool { return string(c.State["value"]) == want }
}

// say sends a message to a program.
func (w *world) say(comm event.CommID, data string, buffers ...string) error {
	w.t.Helper()
	got, err := w.call(protocol.MethodComm, protocol.CommMessage{Comm: comm, Data: json.RawMessage(data), Buffers: buffers})
	if err == nil && got != "{}" {
		w.t.Errorf("got %s, want {}", got)
	}
	return err
}

func TestAG70WhatAProgramSaysOverCommsIsStatedInOrder(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run("print a", "comm-open p test {\"x\":1}", "comm-send p {\"y\":2} AP8=", slider, "result v", "comm-close p {}")
		same(t, w.told(), []string{
			`output a`,
			`opened p test in "r01": {"x":1}`,
			`sent p by "": {"y":2} {"data":"AP8="}`,
			`opened w jupyter.widget in "r01": {"max":9,"value":1}`,
			`closed p: {}`,
			`output "v"`,
			`finished ok`,
		})
	})
}

func TestAG70TextGoesOnInItsOutputAfterAMessage(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		same(t, w.run("print a", slider, "print b"), []string{"stdout: a\nb\n"})
	})
}

func TestAG71UpdatesAreStatedWithTheirBuffers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run(`comm-open w jupyter.widget {"state":{"k":{}},"buffer_paths":[["k","b"]]} AAE=`,
			`comm-send w {"method":"update","state":{"l":[null]},"buffer_paths":[["l",0]]} AP8=`, "display text/plain d",
			`comm-send w {"method":"update","state":{"m":1},"buffer_paths":[]} AP8=`, "display text/plain e",
			`comm-send w {"method":"custom","content":{}} AP8=`)
		same(t, w.told(), []string{
			`opened w jupyter.widget in "r01": {"k":{}} {"path":["k","b"],"data":"AAE="}`,
			`updated w: {"l":[null]} {"path":["l",0],"data":"AP8="}`, `output "d"`,
			`updated w: {"m":1}`, `output "e"`,
			`sent w by "": {"method":"custom","content":{}} {"data":"AP8="}`,
			`finished ok`,
		})
	})
}

func TestAG72UpdatesMergeUntilSomethingElseIsStated(t *testing.T) {
	update := func(state string) string { return `comm-send w {"method":"update","state":` + state + `}` }
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run(slider, `comm-open u jupyter.widget {"state":{}}`, update(`{"value":2}`), // at once, after a quiet time
			update(`{"value":3,"max":7}`), `comm-send u {"method":"echo_update","state":{"k":1}}`, update(`{"value":4}`), "display text/plain d",
			update(`{"value":5}`), update(`{"value":6}`), "comm-send w {\"x\":1}", update(`{"value":7}`), update(`{"value":8}`))
		same(t, w.told(), []string{
			`opened w jupyter.widget in "r01": {"max":9,"value":1}`, `opened u jupyter.widget in "r01": `,
			`updated w: {"value":2}`,
			`updated w: {"max":7,"value":4}`, `updated u: {"k":1}`, `output "d"`,
			`updated w: {"value":6}`, `sent w by "": {"x":1}`,
			`updated w: {"value":8}`, `finished ok`,
		})
	})
}

func TestAG72AThousandUpdatesASecondAreThirtyEvents(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.run(slider)
		before := len(w.events())
		const seconds = 10
		for i := range seconds * 1000 {
			time.Sleep(time.Millisecond)
			if err := m.engine().Send(w.ctx, lang.CommMessage{
				Kind: lang.CommData, Comm: "w", Data: json.RawMessage(fmt.Sprintf(`{"method":"update","state":{"value":%d}}`, i)),
			}); err != nil {
				t.Fatal(err)
			}
		}
		w.comm("w", valueIs(fmt.Sprint(seconds*1000-1)))
		if got := len(w.events()) - before; got < 20*seconds || got > 30*seconds+2 {
			t.Errorf("got %d events in %d s, want about 30 a second", got, seconds)
		}
	})
}

func TestAG73CommsOfAnEngineThatDiedAreLost(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		view := `display application/vnd.jupyter.widget-view+json {"model_id":"w"}`
		w.wantStatus(w.request(w.cell(slider, view))[0], event.StatusOK)
		w.wantStatus(w.request(w.cell("die"))[0], event.StatusLost)
		w.comm("w", func(c *notebook.Comm) bool { return c.Dead })
		told := w.told()
		same(t, told[len(told)-3:], []string{`output `, `lost [w]`, `finished lost`})
		wantCode(t, w.say("w", `{}`), protocol.CodeNotFound)
		w.run(slider)
		w.comm("w", func(c *notebook.Comm) bool { return !c.Dead })
	})
}

// commShelf keeps artifacts in memory.
type commShelf struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (s *commShelf) Put(_ context.Context, r io.ReadSeeker) (event.Artifact, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return event.Artifact{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := fmt.Sprintf("%x", sha256.Sum256(data))
	s.kept[hash] = data
	return event.Artifact{Hash: hash, Size: int64(len(data))}, nil
}

func TestAG74LargeBuffersAreArtifacts(t *testing.T) {
	shelf := &commShelf{kept: map[string][]byte{}}
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt", func(c *Config) {
			c.Artifacts, c.Limits.Inline = shelf, 100
			c.Scratch = func(Waiting) (Scratch, error) { return nil, errors.New("no text waits here") }
		})
		large := strings.Repeat("\x00\xff", 100)
		w.run(`comm-open w jupyter.widget {"state":{},"buffer_paths":[["value"]]} ` + base64.StdEncoding.EncodeToString([]byte(large)))
		w.comm("w", func(c *notebook.Comm) bool {
			a := c.Buffers[0].Artifact
			return a != nil && a.Size == 200 && string(shelf.kept[a.Hash]) == large
		})
	})
}

func TestAG74WhatIsMalformedOrTooLargeIsLeftOut(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		var troubles []string
		m := w.add("rt", func(c *Config) {
			c.Trouble = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				troubles = append(troubles, err.Error())
			}
		})
		m.comms.most = 1000
		w.run(slider, "comm-open a.b test {}", "comm-send a.b {}", "comm-send unknown {}",
			`comm-send w {"x":"`+strings.Repeat("x", 1000)+`"}`,
			`comm-send w {"method":"update","state":{"k":1},"buffer_paths":[[0]]} AP8=`, `comm-send w {"method":"update"}`, `comm-close w {`)
		same(t, w.told(), []string{`opened w jupyter.widget in "r01": {"max":9,"value":1}`, `closed w: `, `finished ok`})
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(troubles, "\n"); len(troubles) != 3 || !strings.Contains(got, `comm "a.b" has a character`) ||
			!strings.Contains(got, "at most 1000 fit") || !strings.Contains(got, "path[0]") {
			t.Errorf("got %q, want why three are left out", troubles)
		}
	})
}

func TestAG84CommsThatDoNotFitAreLeftOutUntilSomeAreClosed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		var troubles []string
		m := w.add("rt", func(c *Config) {
			c.Trouble = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				troubles = append(troubles, err.Error())
			}
		})
		m.comms.mostOpen = 2
		w.run("comm-open a test {}", "comm-open b test {}", "comm-open c test {}", "comm-send c {}", "comm-open d test {}", "comm-close c {}",
			"comm-close a {}", "comm-open e test {}", "comm-open f test {}")
		same(t, w.told(), []string{
			`opened a test in "r01": {}`, `opened b test in "r01": {}`, `closed a: {}`, `opened e test in "r01": {}`, `finished ok`,
		})
		mu.Lock()
		defer mu.Unlock()
		const want = "comms of programs are left out: 2 are open, and no more fit: close some, or restart the runtime"
		if len(troubles) != 2 || troubles[0] != want || troubles[1] != want {
			t.Errorf("got %q, want that people are told once until there is room, and again", troubles)
		}
	})
}

func TestAG75WhatIsSaidBetweenRunsIsOfNone(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run(slider, `comm-later w {"method":"update","state":{"value":2}}`)
		w.comm("w", valueIs("2"))
		w.run(`comm-later w {"late":1}`)
		w.until("it was sent", func(*notebook.Notebook) bool {
			return strings.Contains(strings.Join(w.told(), "\n"), `sent w by "": {"late":1}`)
		})
	})
}

func TestAG75WhatWasCollectedIsStatedBeforeTheRuntimeStops(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.run(slider, `display application/vnd.jupyter.widget-view+json {"model_id":"w"}`)
		for _, v := range []string{"2", "3"} {
			if err := w.say("w", `{"method":"update","state":{"value":`+v+`}}`); err != nil {
				t.Fatal(err)
			}
		}
		m.stop()
		<-m.ended
		w.comm("w", func(c *notebook.Comm) bool { return c.Dead && valueIs("3")(c) })
	})
}

func TestAG76WhatAPersonSaysReachesTheProgramInOrder(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run("comm-open p test {}")
		for i := range 20 {
			if err := w.say("p", fmt.Sprint(i), "AP8="); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprintf(`sent p by "": {"got":%d} {"data":"AP8="}`, i))
		}
		var got, by []string
		for _, line := range w.told() {
			switch {
			case strings.HasPrefix(line, `sent p by "":`):
				got = append(got, line)
			case strings.HasPrefix(line, `sent p by "person:ada"`):
				by = append(by, line)
			}
		}
		same(t, got, want)
		if len(by) != 20 || by[7] != `sent p by "person:ada": 7 {"data":"AP8="}` {
			t.Errorf("got %q, want what the person said", by)
		}
	})
}

func TestAG76AStateChangesWhenTheProgramSaysSo(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.run(slider)
		id := w.request(w.cell("print a", "wait go"))[0]
		w.state(id, notebook.RunStarted)
		if err := w.say("w", `{"method":"update","state":{"value":5}}`); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.comm("w", valueIs("1"))
		m.engine().Release("go")
		w.comm("w", valueIs("5"))
		if told := strings.Join(w.told(), "\n"); strings.Contains(told, "sent w") {
			t.Errorf("got %s, want no message but the change of the state", told)
		}
	})
}

func TestAG77WhatNoProgramHearsIsRefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		wantCode(t, w.say("w", `{}`), protocol.CodeNotFound)
		w.run(slider)
		wantCode(t, w.say("a b", `{}`), protocol.CodeInvalid)
		wantCode(t, w.say("w", `{}`, "?"), protocol.CodeInvalid)
		_, err := w.call(protocol.MethodComm, []int{1})
		wantCode(t, err, protocol.CodeInvalid)
		id := w.request(w.cell("print a", "loop"))[0]
		w.state(id, notebook.RunStarted)
		for err = nil; err == nil; {
			err = w.say("w", `{}`)
		}
		wantCode(t, err, protocol.CodeUnavailable)
		if !strings.Contains(err.Error(), "busy") {
			t.Errorf("got %v, want that the program is busy", err)
		}
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		_ = m.engine().Close()
		wantCode(t, w.say("w", `{}`), protocol.CodeUnavailable)
		w.run("comm-close w {}")
	})
}

func TestAG77AViewerSaysNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run(slider)
		for role, want := range map[access.Role]protocol.Code{access.Viewer: protocol.CodeForbidden, access.Runner: ""} {
			s := replica.NewSession(replica.SessionConfig{Dial: w.dial("person:"+event.Actor(role), role), Replica: replica.New(event.ClientID(role))})
			ctx, stop := context.WithCancel(w.ctx)
			w.all.Go(func() { _ = s.Run(ctx) })
			if err := s.Wait(ctx, (*replica.Replica).Online); err != nil {
				t.Fatal(err)
			}
			_, err := s.Call(ctx, protocol.MethodComm, protocol.CommMessage{Comm: "w", Data: json.RawMessage(`{}`)})
			if want == "" && err != nil || want != "" && !isCode(err, want) {
				t.Errorf("%s: got %v, want %s", role, err, want)
			}
			stop()
		}
	})
}

var _ lang.CommSink = (*sink)(nil)

func TestAG70AnEngineWithoutCommsHasNone(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt", func(c *Config) {
			c.Engines = lang.NewSet([]lang.Spec{{Language: "scripted", New: func() (lang.Engine, error) {
				return bare{langtest.NewScripted()}, nil
			}}})
		})
		same(t, w.run("print a", slider), []string{"stdout: a\n"})
		same(t, w.told(), []string{"output a", "finished ok"})
	})
}
