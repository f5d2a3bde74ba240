package runtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

func TestAG40AProgramAsksWhenAllItPrintedIsStatedAndGetsTheAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addAsking("rt")
		cell := w.cell("print a", "print b", "ask Name? ", "print c")
		id := w.request(cell)[0]
		in := w.asked()
		want := notebook.Input{ID: in.ID, Run: id, Prompt: "Name?"}
		if in != want || !strings.HasPrefix(string(in.ID), "rt-client-i") {
			t.Errorf("got %+v, want %+v", in, want)
		}
		same(t, w.outputs(cell), []string{"stdout: a\nb\n"})
		w.do(&event.InputAnswered{Input: in.ID, Value: "Ada"})
		w.wantStatus(id, event.StatusOK)
		same(t, w.names(), []string{
			"RunStarted", "OutputAdded", "OutputAppended", "InputAsked", "InputAnswered", "OutputAppended", "RunFinished",
		})
		same(t, w.outputs(cell), []string{"stdout: a\nb\nName?Ada\ngot Ada\nc\n"})
		if got := w.questions(); got != 0 {
			t.Errorf("got %d questions after the run, want none", got)
		}
	})
}

func TestAG40EveryQuestionHasAnAnswerOfItsOwn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addAsking("rt")
		cell := w.cell("ask 1", "ask 2", "ask 3")
		id := w.request(cell)[0]
		seen := map[event.InputID]bool{}
		for i := range 3 {
			in := w.asked()
			if seen[in.ID] || in.Prompt != fmt.Sprint(i+1) {
				t.Errorf("got %+v, want a new question", in)
			}
			seen[in.ID] = true
			w.do(&event.InputAnswered{Input: in.ID, Value: strings.Repeat("x", i)})
		}
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: 1\ngot \n2x\ngot x\n3xx\ngot xx\n"})
	})
}

func TestAG41TheFirstAnswerCountsWithoutItsLineEnd(t *testing.T) {
	for value, want := range map[string]string{"Ada\n": "Ada", "Ada\r\n": "Ada", "é🌊": "é🌊", " a ": " a ", "\n": ""} {
		inWorld(t, func(t *testing.T, w *world) {
			w.addAsking("rt")
			cell := w.cell("ask ", "ask more")
			id := w.request(cell)[0]
			in := w.asked()
			w.do(&event.InputAnswered{Input: in.ID, Value: value})
			err := w.person.Do(w.ctx, &event.InputAnswered{Input: in.ID, Value: "late"})
			if err == nil || !strings.Contains(err.Error(), "answered already") {
				t.Errorf("got %v, want that it was answered already", err)
			}
			w.do(&event.InputAnswered{Input: w.asked().ID})
			w.wantStatus(id, event.StatusOK)
			same(t, w.outputs(cell), []string{"stdout: " + want + "\ngot " + want + "\nmore\ngot \n"})
		})
	}
}

func TestAG42AQuestionThatNobodyAnswersInTimeIsClosed(t *testing.T) {
	for _, command := range []string{"ask", "secret"} {
		inWorld(t, func(t *testing.T, w *world) {
			w.addAsking("rt", func(c *Config) { c.InputTimeout = time.Minute })
			cell := w.cell(command+" Name?", "print on", "ask Again?")
			id := w.request(cell)[0]
			first := w.asked()
			began := time.Now()
			w.until("it is closed", func(n *notebook.Notebook) bool { return !n.Input(first.ID).Open() })
			if took := time.Since(began).Round(time.Second); took != time.Minute {
				t.Errorf("took %v, want a minute", took)
			}
			err := w.person.Do(w.ctx, &event.InputAnswered{Input: first.ID, Value: "late"})
			if err == nil || !strings.Contains(err.Error(), "not waited for") {
				t.Errorf("got %v, want that it is not waited for", err)
			}
			if command == "secret" {
				wantCode(t, w.secret(first.ID, "late"), protocol.CodeConflict)
			}
			w.do(&event.InputAnswered{Input: w.asked().ID, Value: "Ada"})
			w.wantStatus(id, event.StatusOK)
			same(t, w.outputs(cell), []string{"stdout: Name?\nno: no answer came within 1m0s\non\nAgain?Ada\ngot Ada\n"})
		})
	}
}

func TestAG42ThereMayBeNoTimeOutAndByDefaultItIsAnHour(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: time.Hour, -1: 100 * time.Hour} {
		inWorld(t, func(t *testing.T, w *world) {
			w.addAsking("rt", func(c *Config) { c.InputTimeout = given })
			id := w.request(w.cell("must Name?"))[0]
			in := w.asked()
			began := time.Now()
			if given < 0 {
				time.Sleep(want)
				w.do(&event.InputAnswered{Input: in.ID})
				w.wantStatus(id, event.StatusOK)
				return
			}
			w.wantStatus(id, event.StatusError)
			if took := time.Since(began).Round(time.Second); took != want {
				t.Errorf("took %v, want %v", took, want)
			}
		})
	}
}

func TestAG43ACancelEndsAQuestionAtOnce(t *testing.T) {
	for _, command := range []string{"ask", "secret"} {
		inWorld(t, func(t *testing.T, w *world) {
			w.addAsking("rt")
			cell := w.cell("print a", command+" Name?")
			id := w.request(cell)[0]
			w.asked()
			began := time.Now()
			w.do(&event.RunCancelled{Run: id})
			w.wantStatus(id, event.StatusCancelled)
			if took := time.Since(began); took > 100*time.Millisecond {
				t.Errorf("took %v, want it to be at once", took)
			}
			same(t, w.outputs(cell), []string{"stdout: a\nName?\n", "error: Interrupt"})
			if got := w.questions(); got != 0 {
				t.Errorf("got %d open questions, want none", got)
			}
			same(t, w.run("print next"), []string{"stdout: next\n"})
		})
	}
}

func TestAG43TheEndOfTheRuntimeEndsAQuestion(t *testing.T) {
	for name, end := range map[string]func(w *world, m *made){
		"shut down": func(_ *world, m *made) { m.stop() },
		"displaced": func(w *world, _ *made) { w.add("new") },
		"stopped":   func(w *world, m *made) { w.part(m.actor) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				m, _ := w.addAsking("rt")
				id := w.request(w.cell("ask Name?"))[0]
				in := w.asked()
				end(w, m)
				w.wantStatus(id, event.StatusLost)
				if got := w.questions(); got != 0 {
					t.Errorf("got %d open questions, want none", got)
				}
				if err := w.person.Do(w.ctx, &event.InputAnswered{Input: in.ID, Value: "late"}); err == nil {
					t.Error("got no error for an answer to a run that is over")
				}
				if name != "stopped" {
					<-m.ended
					return
				}
				w.mu.Lock()
				w.unheard[m.actor] = false
				w.mu.Unlock()
				if err := <-m.ended; !errors.Is(err, ErrStopped) {
					t.Errorf("got %v, want ErrStopped", err)
				}
			})
		})
	}
}

func TestAG43AnAnswerReachesARuntimeThatWasCutOff(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m, _ := w.addAsking("rt")
		cell := w.cell("ask Name?")
		id := w.request(cell)[0]
		in := w.asked()
		rejoin := w.part(m.actor)
		w.do(&event.InputAnswered{Input: in.ID, Value: "Ada"})
		time.Sleep(5 * time.Second)
		rejoin()
		w.wantStatus(id, event.StatusOK)

		cell = w.cell("wait never", "ask Name?") // and a question is asked when it is there again
		w.crash()
		w.start()
		id = w.request(w.cell("ask Again?"))[0]
		w.do(&event.InputAnswered{Input: w.asked().ID, Value: "Bo"})
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), nil)
	})
}

func TestAG44WhatATerminalWouldShowOfAQuestionStays(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addAsking("rt")
		cell := w.cell("print a", "warn b", "ask Name?", "secret Key?")
		id := w.request(cell)[0]
		w.do(&event.InputAnswered{Input: w.asked().ID, Value: "A\x1bd\ba"})
		if err := w.secret(w.asked().ID, "hunter2"); err != nil {
			t.Error(err)
		}
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{
			"stdout: a\n", "stderr: b\n", "stdout: Name?Ada\ngot a\nKey?\ngot 7\n",
		})
	})
}

func TestAG46WhereNobodyCanBeAskedAProgramIsToldSo(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addAsking("rt", func(c *Config) { c.Unattended = true })
		cell := w.cell("ask Name?")
		w.wantStatus(w.request(cell)[0], event.StatusError)
		same(t, w.outputs(cell), []string{"error: StdinNotImplementedError"})
	})
}

func TestAG47ARunThatTakesTooLongIsStopped(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt", func(c *Config) { c.RunTimeout = time.Minute })
		cell := w.cell("print a", "loop")
		ids := w.request(cell, w.cell("print never"))
		began := time.Now()
		w.wantStatus(ids[0], event.StatusError)
		w.wantStatus(ids[1], event.StatusCancelled)
		if took := time.Since(began).Round(time.Second); took != time.Minute {
			t.Errorf("took %v, want a minute", took)
		}
		same(t, w.outputs(cell), []string{"stdout: a\n", "error: TimeOut"})
		same(t, w.run("print b"), []string{"stdout: b\n"})
		if m.count() != 1 {
			t.Errorf("got %d engines, want the first to live", m.count())
		}
	})
}
