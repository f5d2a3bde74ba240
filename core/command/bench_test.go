package command_test

import (
	"fmt"
	"testing"

	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// large returns an executor in a notebook of 2,000 cells.
func large(b *testing.B) *peer {
	p := alone(b)
	for i := range 2_000 {
		p.create(event.CellID(fmt.Sprint("c", i)))
	}
	return p
}

func BenchmarkTypingInALargeNotebook(b *testing.B) {
	p := large(b)
	for i := 0; b.Loop(); i++ {
		p.typesOn("c7", text.Insert(2, "x"), i%40 > 0)
	}
}

func BenchmarkMovingACellInALargeNotebook(b *testing.B) {
	p := large(b)
	for b.Loop() {
		p.do(&command.MoveCells{Cells: ids{"c7"}, After: "c900"}, &command.Undo{})
	}
}

func BenchmarkAnEditOfAnotherOverAFullHistory(b *testing.B) {
	p := large(b)
	for range 1_000 {
		p.types("c7", text.Insert(2, "x"))
	}
	for b.Loop() {
		p.Rebase("c7", text.Insert(0, "y"))
	}
}
