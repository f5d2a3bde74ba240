package text

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// chainModel is a chain and the expected edits, transformed one by one.
type chainModel struct {
	chain    Chain
	edits    []Edit // the current value of each
	reported []Edit // the value last passed to Changed, or added
}

// anEdit draws an edit of a text of n units: mostly of one place, sometimes of two or of none.
func anEdit(t *rapid.T, n int) Edit {
	at := rapid.IntRange(0, n).Draw(t, "at")
	e := Replace(at, rapid.IntRange(0, min(3, n-at)).Draw(t, "drop"), rapid.SampledFrom([]string{"", "x", "yz"}).Draw(t, "text"))
	if rapid.IntRange(0, 9).Draw(t, "twice") > 0 {
		return e
	}
	twice, err := Compose(e, Insert(rapid.IntRange(0, n+e.Delta()).Draw(t, "again at"), "w"))
	if err != nil {
		t.Fatal(err)
	}
	return twice
}

// length returns the length of the text after the chain, given the length of the one before it.
func (m *chainModel) length(n int) int {
	for _, e := range m.edits {
		n += e.Delta()
	}
	return n
}

func (m *chainModel) add(e Edit) {
	m.chain.Add(e)
	m.edits, m.reported = append(m.edits, e), append(m.reported, e)
}

// typeRun adds the edits of a user who types at one place of a text of n units, or deletes before it.
func (m *chainModel) typeRun(t *rapid.T, n int) {
	at := rapid.IntRange(0, n).Draw(t, "typed at")
	deletes := rapid.Bool().Draw(t, "deletes")
	for range rapid.IntRange(1, 2*linkSize).Draw(t, "keys") {
		switch {
		case !deletes:
			m.add(Insert(at, "k"))
			at++
		case at > 0:
			at--
			m.add(Delete(at, 1))
		}
	}
}

func (m *chainModel) check(t *rapid.T) {
	m.chain.Changed(func(i int, e Edit) { m.reported[i] = e })
	if m.chain.Len() != len(m.edits) || !slices.EqualFunc(m.reported, m.edits, Edit.Equal) {
		t.Fatalf("the chain of %d has %v, want %v", m.chain.Len(), m.reported, m.edits)
	}
}

func TestTX4AChainCrossesAsItsEditsDoOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m chainModel
		base := rapid.SampledFrom([]int{2, 10, 60}).Draw(t, "base") // units of the text before the chain
		cross := func(way func(own, e *Edit), chain func(Edit) Edit) {
			e := anEdit(t, base)
			base += e.Delta()
			want := e
			for i := range m.edits {
				way(&m.edits[i], &want)
			}
			if got := chain(e); !got.Equal(want) {
				t.Fatalf("%v over %v is %v, want %v", e, m.edits, got, want)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			m.typeRun(t, m.length(base))
		}
		t.Repeat(map[string]func(*rapid.T){
			"add":  func(t *rapid.T) { m.add(anEdit(t, m.length(base))) },
			"type": func(t *rapid.T) { m.typeRun(t, m.length(base)) },
			"drop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(m.edits)).Draw(t, "n")
				m.check(t) // Changed does not report dropped edits
				m.chain.Drop(n)
				base = (&chainModel{edits: m.edits[:n]}).length(base)
				m.edits, m.reported = m.edits[n:], m.reported[n:]
			},
			"before":   func(t *rapid.T) { cross(func(own, e *Edit) { TransformInPlace(e, own) }, m.chain.Before) },
			"after":    func(t *rapid.T) { cross(func(own, e *Edit) { TransformInPlace(own, e) }, m.chain.After) },
			"reported": m.check,
		})
		m.check(t)
	})
}
