package command_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// game is a run of a property test: two players do random things in one notebook. Each character is typed once, so its
// author is known.
type game struct {
	*testRoom
	t        *testing.T
	rand     *rand.Rand
	ada, bob *peer
	next     map[*peer]rune

	taken map[*peer]map[rune]bool // characters that each has deleted
}

// The characters of each player. Some have two units.
const (
	atFirst rune = 'a'
	ofAda   rune = 0x1F300
	ofBob   rune = 0x20000
)

func newGame(t *testing.T, seed uint64) *game {
	t.Helper()
	r := newRoom(t)
	g := &game{testRoom: r, t: t, rand: rand.New(rand.NewPCG(seed, 2)), taken: map[*peer]map[rune]bool{}}
	g.ada, g.bob = r.join("ada", access.Owner), r.join("bob", access.Owner)
	g.next = map[*peer]rune{g.ada: ofAda, g.bob: ofBob}
	g.taken = map[*peer]map[rune]bool{g.ada: {}, g.bob: {}}
	g.ada.create("c")
	g.ada.propose(&event.SourceEdited{Cell: "c", Edit: text.Replace(0, 1, "abcdefgh\u4e00\U0002F800")})
	r.deliverAll()
	return g
}

// move delivers some messages.
func (g *game) move() {
	p := []*peer{g.ada, g.bob}[g.rand.IntN(2)]
	if g.rand.IntN(2) == 0 {
		p.send()
	} else {
		p.receive()
	}
}

// typing returns an edit of a player in a cell: of any text, or one that deletes only the player's own.
func (g *game) typing(p *peer, cell event.CellID, ownOnly bool) text.Edit {
	source := []rune(p.source(cell))
	at := g.rand.IntN(len(source) + 1)
	unit := text.NewText(string(source[:at])).Len()
	if at < len(source) && g.rand.IntN(3) == 0 {
		n := 1 + g.rand.IntN(min(3, len(source)-at))
		if gone := source[at : at+n]; !ownOnly || !slices.ContainsFunc(gone, func(r rune) bool { return !g.of(p, r) }) {
			for _, r := range gone {
				g.taken[p][r] = true
			}
			return text.Delete(unit, text.NewText(string(gone)).Len())
		}
	}
	var typed []rune
	for range 1 + g.rand.IntN(3) {
		typed = append(typed, g.next[p])
		g.next[p]++
	}
	return text.Insert(unit, string(typed))
}

func (g *game) of(p *peer, r rune) bool {
	if p == g.ada {
		return r >= ofAda && r < ofBob
	}
	return r >= ofBob && r < 0x2F800
}

// undoAll undoes everything that a player can undo, and returns the number of undos.
func (p *peer) undoAll() (n int) {
	p.t.Helper()
	for ; p.CanUndo(); n++ {
		p.do(&command.Undo{})
	}
	return n
}

// without returns a text without a player's characters.
func (g *game) without(p *peer, s string) string {
	return strings.Map(func(r rune) rune {
		if g.of(p, r) {
			return -1
		}
		return r
	}, s)
}

// play lets both type, and the first one undo and redo, for some steps.
func (g *game) play(ownOnly bool) {
	for range 60 {
		switch g.rand.IntN(8) {
		case 0, 1, 2:
			g.ada.typesOn("c", g.typing(g.ada, "c", ownOnly), g.rand.IntN(3) == 0)
		case 3, 4:
			g.bob.types("c", g.typing(g.bob, "c", false))
		case 5:
			g.ada.do(&command.Undo{})
		case 6:
			g.ada.do(&command.Redo{})
		default:
			g.move()
		}
		g.move()
	}
	g.deliverAll()
}

func TestUndoOfAllThatOneTypedLeavesExactlyTheTextOfTheOthers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		g := newGame(t, seed)
		g.play(true)
		before := g.ada.source("c")
		want := g.without(g.ada, before)
		undone := g.ada.undoAll()
		g.deliverAll()
		if got := g.ada.source("c"); got != want {
			t.Fatalf("seed %d: undone: got %q, want %q", seed, got, want)
		}
		for range undone {
			g.ada.do(&command.Redo{})
		}
		g.deliverAll()
		if got := g.ada.source("c"); got != before {
			t.Fatalf("seed %d: redone: got %q, want %q", seed, got, before)
		}
	}
}

func TestUndoOfAllThatOneTypedBringsBackWhatOneDeleted(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		g := newGame(t, seed)
		first := []rune(g.ada.source("c"))
		g.play(false)
		before := []rune(g.without(g.ada, g.ada.source("c")))
		g.ada.undoAll()
		g.deliverAll()
		if err := g.restored(first, before, []rune(g.ada.source("c"))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// restored requires a text after undo to be the one before plus the characters that the undoing player had deleted.
// Those that the other deleted concurrently may be back too.
func (g *game) restored(first, before, after []rune) error {
	count := map[rune]int{}
	for _, r := range after {
		count[r]++
		if g.of(g.ada, r) {
			return fmt.Errorf("%q is left in %q", r, string(after))
		}
		if g.taken[g.bob][r] && !g.taken[g.ada][r] {
			return fmt.Errorf("%q is back in %q, though only the other deleted it", r, string(after))
		}
	}
	all := slices.Clone(first)
	for r := ofBob; r < g.next[g.bob]; r++ {
		all = append(all, r)
	}
	for _, r := range all {
		if count[r] > 1 || count[r] == 0 && !g.taken[g.bob][r] {
			return fmt.Errorf("%q is there %d times in %q", r, count[r], string(after))
		}
	}
	if got := only(after, before); got != string(before) {
		return fmt.Errorf("what was there is %q in another order, want %q", got, string(before))
	}
	if got := only(after, first); got != only(first, after) {
		return fmt.Errorf("what was there at first is %q in another order", got)
	}
	return nil
}

// only returns the characters of a text that are in another one.
func only(s, of []rune) string {
	return string(slices.DeleteFunc(slices.Clone(s), func(r rune) bool { return !slices.Contains(of, r) }))
}

// order gives a player a random command.
func (g *game) order(p *peer) command.Command {
	cells := p.view().Cells()
	some := ids{cells[g.rand.IntN(len(cells))], cells[g.rand.IntN(len(cells))]}
	one, other := some[0], cells[g.rand.IntN(len(cells))]
	value := json.RawMessage(fmt.Sprint(g.rand.IntN(3)))
	switch g.rand.IntN(16) {
	case 0, 1:
		return &command.AddCell{CellKind: event.KindCode, Source: string(g.rune(p)), Before: other}
	case 2:
		return &command.MoveCells{Cells: some, After: other}
	case 3:
		return &command.ChangeKind{Cells: some, CellKind: []event.CellKind{"code", "raw", "sql"}[g.rand.IntN(3)]}
	case 4:
		return &command.ChangeLanguage{Cells: some, Language: string(value)}
	case 5:
		return &command.SetVisibility{Cells: some, Source: new(g.rand.IntN(2) == 0), Context: new(g.rand.IntN(2) == 0)}
	case 6:
		if len(cells) > 3 {
			return &command.DeleteCells{Cells: some}
		}
		return &command.SetTitle{Title: string(value)}
	case 7, 8:
		return &command.SplitCell{Cell: one, At: []int{0, p.view().Cell(one).Text().Len()}}
	case 9, 10:
		if len(cells) > 3 {
			return &command.MergeCells{Cells: append(some, other)}
		}
		return &command.SetMetadata{Key: "k", Value: value}
	case 11:
		return &command.SetMetadata{Cell: one, Key: "k", Value: value}
	case 12, 13:
		return &command.ReplaceText{Pieces: g.ownPieces(p)}
	case 14:
		return &command.Attach{Cell: one, Key: "k", Value: value, At: 1 << 20, Text: string(g.rune(p))}
	}
	return &command.PasteCells{After: other, Items: []command.Copied{
		{CellKind: event.KindCode, Source: string(g.rune(p)), Outputs: []event.Output{printed(string(value))}, Count: 1},
		{CellKind: event.KindMarkdown, Source: string(g.rune(p)), Metadata: map[string]json.RawMessage{"m": value}},
	}}
}

// ownPieces returns characters that a player typed into up to three cells, a piece each with a new replacement; and one
// piece that does not exist.
func (g *game) ownPieces(p *peer) []command.Piece {
	pieces := []command.Piece{{Cell: "c", At: 1 << 20, Was: "nowhere"}}
	for _, id := range p.view().Cells()[:min(3, len(p.view().Cells()))] {
		if id == "c" {
			continue
		}
		at := 0
		for _, r := range p.source(id) {
			if g.of(p, r) {
				g.taken[p][r] = true
				pieces = append(pieces, command.Piece{Cell: id, At: at, Was: string(r), Text: string(g.rune(p))})
			}
			at += utf16.RuneLen(r)
		}
	}
	return pieces
}

func (g *game) rune(p *peer) rune {
	g.next[p]++
	return g.next[p] - 1
}

// act lets a player do something, which may be an error when it is nonsense.
func (g *game) act(p *peer) {
	if g.rand.IntN(3) == 0 {
		cells := p.view().Cells()
		cell := cells[g.rand.IntN(len(cells))]
		p.typesOn(cell, g.typing(p, cell, false), g.rand.IntN(2) == 0)
		return
	}
	c := g.order(p)
	if gone, ok := c.(*command.DeleteCells); ok {
		for _, id := range gone.Cells {
			for _, r := range p.source(id) {
				g.taken[p][r] = true
			}
		}
	}
	if _, err := p.Do(c); err != nil && !strings.Contains(err.Error(), "one cell alone") {
		g.t.Fatalf("%T: %v", c, err)
	}
}

func TestUndoOfAllIsTheNotebookOfBeforeAndRedoOfAllThatOfAfter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		g := newGame(t, seed)
		g.ada.propose(&event.NotebookTitled{Title: "first"})
		for range g.rand.IntN(4) {
			g.ada.create(event.CellID(fmt.Sprint("made", g.rand.IntN(1_000_000))))
		}
		before := show(g.ada.view())
		for range 40 {
			g.act(g.ada)
			if g.rand.IntN(5) == 0 {
				g.ada.do(&command.Undo{})
				if g.rand.IntN(2) == 0 {
					g.ada.do(&command.Redo{})
				}
			}
			g.move()
		}
		after := show(g.ada.view())
		for range 2 {
			undone := g.ada.undoAll()
			g.deliverAll()
			if got := show(g.ada.view()); got != before {
				t.Fatalf("seed %d: undone: got\n%s\nwant\n%s", seed, got, before)
			}
			for range undone {
				g.ada.do(&command.Redo{})
			}
			g.deliverAll()
			if got := show(g.ada.view()); got != after {
				t.Fatalf("seed %d: redone: got\n%s\nwant\n%s", seed, got, after)
			}
		}
	}
}

func TestUndoOfAllTakesNothingOutOfSightThatOthersWrote(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		g := newGame(t, seed)
		for range 40 {
			g.act([]*peer{g.ada, g.bob}[g.rand.IntN(2)])
			switch g.rand.IntN(8) {
			case 0, 1:
				g.ada.do(&command.Undo{})
			case 2:
				g.ada.do(&command.Redo{})
			}
			g.move()
		}
		g.deliverAll()
		before := g.seen()
		g.ada.undoAll()
		g.deliverAll()
		after := g.seen()
		for r := range before {
			if g.of(g.bob, r) && !g.taken[g.bob][r] && !after[r] {
				t.Fatalf("seed %d: %q was there, and is not after undo:\n%s", seed, r, show(g.ada.view()))
			}
		}
	}
}

// seen returns the characters in all cells that are not deleted.
func (g *game) seen() map[rune]bool {
	all := map[rune]bool{}
	for _, id := range g.ada.view().Cells() {
		for _, r := range g.ada.source(id) {
			all[r] = true
		}
	}
	return all
}
