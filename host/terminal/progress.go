package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// drawEvery is how often progress is drawn at most.
const drawEvery = 100 * time.Millisecond

// Progress shows on the last lines of a terminal how far runs are. Text written
// through it appears above those lines.
type Progress struct {
	out     io.Writer
	width   func() int // of the terminal, as it is now
	colours bool

	running sync.WaitGroup
	quit    chan struct{}

	mu    sync.Mutex
	board board
	cells map[event.RunID]RunningCell
	asked bool                      // the user is typing, below which nothing may be drawn
	tails map[event.OutputID][]byte // the ends of the texts of the cell
	drawn []string                  // the lines that stand on the terminal
}

// RunningCell is a cell that runs, as progress shows it.
type RunningCell struct {
	Position int
	Source   string // its first line
}

// board is the state of the bar.
type board struct {
	total, done, failed int
	began               time.Time
	cell                RunningCell
	cellBegan           time.Time // zero while no cell runs
	last                string    // line that the cell has printed
}

// NewProgress returns the progress of runs, of the cells that are given.
func NewProgress(out io.Writer, width func() int, colours bool, cells map[event.RunID]RunningCell, now time.Time) *Progress {
	return &Progress{
		out: drawing(out), width: width, colours: colours, quit: make(chan struct{}),
		board: board{total: len(cells), began: now}, cells: cells, tails: map[event.OutputID][]byte{},
	}
}

// Start draws from now on, until close.
func (p *Progress) Start() {
	p.running.Go(func() {
		ticker := time.NewTicker(drawEvery)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				p.mu.Lock()
				p.drawLocked(now)
				p.mu.Unlock()
			case <-p.quit:
				return
			}
		}
	})
}

// Close erases the drawing.
func (p *Progress) Close() {
	close(p.quit)
	p.running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLocked()
}

// Write writes whole lines above the bar.
func (p *Progress) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLocked()
	return p.out.Write(data)
}

// Seen takes in an event of a run.
func (p *Progress) Seen(e *event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.Payload.(type) {
	case *event.RunStarted:
		p.board.cell, p.board.cellBegan, p.board.last = p.cells[e.Run], time.Now(), ""
		clear(p.tails)
	case *event.InputAsked:
		p.asked = true
		p.eraseLocked()
	case *event.InputAnswered, *event.InputClosed:
		p.asked = false
	case *event.OutputAdded:
		if e.Value.Kind == event.OutputStream {
			p.printedLocked(e.Output, 0, e.Value.Text)
		}
	case *event.OutputAppended:
		p.printedLocked(e.Output, e.Drop, e.Text)
	case *event.OutputsCleared:
		p.board.last = ""
	}
}

// printedLocked notes the text that a program printed, after it removed some of it.
func (p *Progress) printedLocked(id event.OutputID, drop int, added string) {
	tail := p.tails[id]
	tail = lastLines(append(tail[:text.WithoutUTF16(tail, drop)], added...))
	p.tails[id] = tail
	if line := lastLine(string(tail)); line != "" {
		p.board.last = line
	}
}

// Ended takes in how a run ended.
func (p *Progress) Ended(o Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.done++
	if o.IsBad() && !o.IsUnrun() {
		p.board.failed++
	}
	p.board.cellBegan, p.board.last, p.asked = time.Time{}, "", false
}

// drawLocked draws the lines in place of those that stand there.
func (p *Progress) drawLocked(now time.Time) {
	if p.asked {
		return
	}
	lines := p.board.lines(p.width(), p.colours, now)
	if strings.Join(lines, "\n") == strings.Join(p.drawn, "\n") {
		return
	}
	_, _ = io.WriteString(p.out, p.eraseSequence()+strings.Join(lines, "\n"))
	p.drawn = lines
}

func (p *Progress) eraseLocked() {
	_, _ = io.WriteString(p.out, p.eraseSequence())
	p.drawn = nil
}

// eraseSequence takes the lines away. A terminal that became narrower since they
// were drawn has broken them into more.
func (p *Progress) eraseSequence() string {
	if p.drawn == nil {
		return ""
	}
	width := max(p.width(), 1)
	rows := 0
	for _, line := range p.drawn {
		rows += len(rowsOf(line, width))
	}
	if rows > 1 {
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", rows-1)
	}
	return "\r\x1b[J"
}

// The styles of the bar.
const (
	styleDone   = "32" // green
	styleFailed = "31" // red
	styleFaint  = "2"
)

// lines returns the lines of the bar for a terminal of some width. No line is as wide as
// that, since some terminals begin the next one then.
func (b *board) lines(width int, colours bool, now time.Time) []string {
	paint := func(style, s string) string {
		if !colours || s == "" {
			return s
		}
		return "\x1b[" + style + "m" + s + "\x1b[0m"
	}
	head := fmt.Sprintf("%d/%d  %s", b.done, b.total, short(now.Sub(b.began)))
	if b.failed > 0 {
		head += "  " + paint(styleFailed, fmt.Sprintf("%d failed", b.failed))
	}
	if size := min(width/3, 40); size >= 5 && b.total > 0 {
		full := size * b.done / b.total
		head = paint(styleDone, strings.Repeat("━", full)) + paint(styleFaint, strings.Repeat("─", size-full)) + "  " + head
	}
	lines := []string{head}
	if !b.cellBegan.IsZero() {
		lines = append(lines, fmt.Sprintf("@%d %s  %s", b.cell.Position, short(now.Sub(b.cellBegan)), b.cell.Source))
	}
	if b.last != "" {
		lines = append(lines, paint(styleFaint, "   "+b.last))
	}
	for i, line := range lines {
		lines[i] = columns().TruncateString(line, max(width-1, 1), "…")
	}
	return lines
}

// short returns a time in about four characters.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", max(d, 0).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// FirstLine returns the first line of a text that is not empty, for a terminal.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = plainLine(line); line != "" {
			return line
		}
	}
	return ""
}

// lastLine returns the last line of a text that is not empty, for a terminal.
func lastLine(s string) string {
	for s != "" {
		i := strings.LastIndexByte(strings.TrimSuffix(s, "\n"), '\n') + 1
		if line := plainLine(s[i:]); line != "" {
			return line
		}
		s = s[:i]
	}
	return ""
}

// plainLine returns a line without colours, and without the control of a terminal.
func plainLine(s string) string { return CleanLine(stripEscapes(s)) }
