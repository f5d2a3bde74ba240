package replica_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// TestSY127EveryCallGetsItsOwnAnswerOrAnErrorAndNoOther lets callers, and a runtime
// that is slow and forgets, lose their connections at any moment.
func TestSY127EveryCallGetsItsOwnAnswerOrAnErrorAndNoOther(t *testing.T) {
	own, made := 0, 0
	for seed := range uint64(300) {
		sim := newCallSim(t, seed)
		for range 200 {
			sim.step()
		}
		sim.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		own, made = own+sim.own, made+sim.made
	}
	if own < made/10 || own > made*9/10 {
		t.Errorf("got %d answers of %d calls, want some and not all to go well", own, made)
	}
}

// callTime is for how long the room waits for an answer, in milliseconds.
const callTime = 10_000

// callSim is some callers and a runtime of a room.
type callSim struct {
	*roomtest.Sequencer
	rand    *rand.Rand
	rt      *guest
	held    []replica.Incoming // that the runtime has looked at
	callers []*guest
	waiting map[*guest]map[uint64]string // what each call asked with
	made    int
	own     int // how many got their answer
}

func newCallSim(t *testing.T, seed uint64) *callSim {
	d := roomtest.NewSequencer(t, nil)
	d.AddRuntime("rt")
	s := &callSim{Sequencer: d, rand: rand.New(rand.NewPCG(seed, 7)), waiting: map[*guest]map[uint64]string{}}
	s.rt = &guest{Replica: replica.NewRuntime("of-rt", "rt")}
	s.rt.seat = d.Connect("runtime:rt", access.Runtime, *s.rt.Hello())
	s.rt.receive()
	for _, id := range []event.ClientID{"a", "b", "c"} {
		g := newGuest(d, replica.New(id))
		s.callers = append(s.callers, g)
		s.waiting[g] = map[uint64]string{}
	}
	return s
}

func (s *callSim) step() {
	g := s.callers[s.rand.IntN(len(s.callers))]
	switch p := s.rand.IntN(40); {
	case p < 6:
		s.call(g)
	case p < 14:
		g.send()
	case p < 19:
		g.receive()
		s.check(g)
	case p < 24:
		s.rt.receive()
		s.held = append(s.held, s.rt.TakeCalls()...)
	case p < 32:
		s.answer()
	case p < 37:
		s.rt.send()
	case p < 38:
		s.Pass(2_000)
	default:
		s.cutOne(g)
	}
}

func (s *callSim) call(g *guest) {
	s.made++
	params := fmt.Sprintf(`"%d"`, s.made)
	id, err := g.Call("echo", json.RawMessage(params))
	if err != nil {
		s.T.Fatal(err)
	}
	s.waiting[g][id] = params
}

// answer lets the runtime answer one of its calls, in no order, or forget it.
func (s *callSim) answer() {
	if len(s.held) == 0 {
		return
	}
	i := s.rand.IntN(len(s.held))
	c := s.held[i]
	s.held = append(s.held[:i], s.held[i+1:]...)
	if s.rand.IntN(8) > 0 {
		s.rt.Answer(&c, c.Params, nil)
	}
}

// cutOne ends the connection of a caller, or of the runtime, which comes again.
func (s *callSim) cutOne(g *guest) {
	if s.rand.IntN(3) > 0 {
		g.cut()
		s.check(g)
		if got := len(s.waiting[g]); got != 0 {
			s.T.Errorf("got %d calls that wait though the connection is gone", got)
		}
		g.connect(s.Sequencer)
		g.receive()
		return
	}
	s.rt.cut()
	s.rt.seat = s.Connect("runtime:rt", access.Runtime, *s.rt.Hello())
	s.rt.receive()
}

// check takes the answers that a caller has, and wants each to be its call's own.
func (s *callSim) check(g *guest) {
	for id, params := range s.waiting[g] {
		a := g.TakeAnswer(id)
		if a == nil {
			continue
		}
		delete(s.waiting[g], id)
		switch {
		case a.Error == nil && string(a.Result) != params:
			s.T.Errorf("call %d of %s got %s", id, params, a.Result)
		case a.Error == nil:
			s.own++
		}
	}
}

// end lets everything come to rest, after which no call waits.
func (s *callSim) end() {
	for _, g := range s.callers {
		g.send()
	}
	s.rt.receive()
	s.rt.TakeCalls()
	s.Pass(callTime)
	for _, g := range s.callers {
		g.receive()
		s.check(g)
		if got := len(s.waiting[g]); got != 0 {
			s.T.Errorf("got %d calls that wait at the end, want none", got)
		}
	}
}
