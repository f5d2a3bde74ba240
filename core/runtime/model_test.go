package runtime

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/runtime/screen"
)

// TestAG25AnyRunComesToTheSameOutputsHoweverItIsFlushed drives a shaper with random
// output, flushing at random, against a model that shapes each stretch of text whole.
func TestAG25AnyRunComesToTheSameOutputsHoweverItIsFlushed(t *testing.T) {
	for seed := range uint64(1_000) {
		r := rand.New(rand.NewPCG(seed, 25))
		d := newDesk(t, Limits{})
		var m model
		for range 40 {
			step(r, d, &m)
		}
		m.end()
		d.finish(0, nil)
		if diff := cmp.Diff(m.lines, d.outputs()); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// model is what a run has shown.
type model struct {
	lines  []string
	clears bool // when the next output comes
	name   string
	text   string
}

func (m *model) add(line string) {
	if m.clears {
		m.lines, m.clears = nil, false
	}
	m.lines = append(m.lines, line)
}

func (m *model) end() {
	var s screen.Screen
	s.Write(m.text)
	s.End()
	if e, ok := s.Take(); ok {
		m.add(m.name + ": " + e.Text)
	}
	m.name, m.text = "", ""
}

func step(r *rand.Rand, d *desk, m *model) {
	switch n := r.IntN(20); {
	case n < 12:
		name := []string{"stdout", "stderr"}[r.IntN(4)/3]
		text := []string{"a", "é🐎\n", "\rb", "c\n", "\x1b[1A\rx", "\x1b[31m", "\x1b[2K\rk", "\b", "\x1b[0m."}[r.IntN(9)]
		if m.name != name {
			m.end()
		}
		m.name, m.text = name, m.text+text
		d.write(name, text)
	case n < 17:
		d.flush()
	case n < 19:
		m.end()
		m.add(fmt.Sprintf(`display: text/plain "%d"`, n))
		d.display(plainText(fmt.Sprint(n)), "")
	default:
		m.end()
		wait := r.IntN(2) == 0
		if !wait {
			m.lines, m.clears = nil, false
		} else if len(m.lines) > 0 {
			m.clears = true
		}
		d.clear(wait)
	}
}
