package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// screen is a terminal that knows the sequences of progress, with the cursor at the end of
// its text. One that becomes narrower breaks its lines again, as most do.
type screen struct {
	width int
	lines []string
}

func newScreen(width int) *screen { return &screen{width: width, lines: []string{""}} }

// rows returns the visible rows.
func (s *screen) rows() []string {
	var rows []string
	for _, line := range s.lines {
		rows = append(rows, rowsOf(line, s.width)...)
	}
	return rows
}

// erasing goes up some rows and erases the rows below.
var erasing = regexp.MustCompile(`\r(?:\x1b\[(\d+)A)?\x1b\[J`)

// Write takes text with colours, and what erases lines.
func (s *screen) Write(data []byte) (int, error) {
	text := string(data)
	for text != "" {
		at := erasing.FindStringSubmatchIndex(text)
		if at == nil {
			s.print(text)
			break
		}
		s.print(text[:at[0]])
		up := 0
		if at[2] >= 0 {
			up, _ = strconv.Atoi(text[at[2]:at[3]])
		}
		rows := s.rows()
		s.lines = append(rows[:max(len(rows)-1-up, 0)], "")
		text = text[at[1]:]
	}
	return len(data), nil
}

func (s *screen) print(text string) {
	lines := strings.Split(stripEscapes(text), "\n")
	s.lines[len(s.lines)-1] += lines[0]
	s.lines = append(s.lines, lines[1:]...)
}

func (s *screen) want(t *testing.T, rows ...string) {
	t.Helper()
	if diff := cmp.Diff(rows, s.rows()); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

// start is when the runs of the tests below began.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// showing returns progress of three cells on a screen, of which the first has ended
// and the second runs.
func showing(s *screen) *Progress {
	cells := map[event.RunID]RunningCell{"r1": {1, "import x"}, "r2": {3, "for i in range(9):"}, "r3": {4, "i"}}
	p := NewProgress(s, func() int { return s.width }, true, cells, start)
	p.Seen(&event.Event{Payload: &event.RunStarted{Run: "r1"}})
	p.Ended(Outcome{Status: event.StatusOK, Started: true})
	p.Seen(&event.Event{Payload: &event.RunStarted{Run: "r2"}})
	p.board.cellBegan = start.Add(time.Second)
	return p
}

func printedBy(p *Progress, drop int, text string) {
	p.Seen(&event.Event{Payload: &event.OutputAppended{Output: "o", Drop: drop, Text: text}})
}

func TestProgressShowsTheBarTheCellAndItsLastLine(t *testing.T) {
	s := newScreen(60)
	p := showing(s)
	p.Seen(&event.Event{Payload: &event.OutputAdded{Output: "o", Value: event.Output{Kind: event.OutputStream, Text: "one\n\x1b[31mtwo\x1b[0m\a\n\n"}}})
	p.drawLocked(start.Add(65 * time.Second))
	s.want(t, "━━━━━━──────────────  1/3  1m05s", "@3 1m04s  for i in range(9):", "   two")

	printedBy(p, 0, "50%")
	p.drawLocked(start.Add(66 * time.Second))
	printedBy(p, 3, "100%\rx")
	p.Ended(Outcome{Status: event.StatusError, Started: true})
	p.drawLocked(start.Add(67 * time.Second))
	s.want(t, "━━━━━━━━━━━━━───────  2/3  1m07s  1 failed")
	p.eraseLocked()
	s.want(t, "")
}

func TestTheLastLineIsWhatAProgramLeftOfIt(t *testing.T) {
	p := showing(newScreen(60))
	for _, c := range []struct {
		drop       int
		text, want string
	}{
		{0, "10%", "10%"}, {3, "20%", "20%"}, {0, "\n", "20%"}, {0, "   \n", "20%"}, {0, "done", "done"},
	} {
		if printedBy(p, c.drop, c.text); p.board.last != c.want {
			t.Errorf("after %q: got %q, want %q", c.text, p.board.last, c.want)
		}
	}
	if p.Seen(&event.Event{Payload: &event.OutputsCleared{}}); p.board.last != "" {
		t.Errorf("after a clear: got %q, want nothing", p.board.last)
	}
}

func TestWhatIsWrittenStandsAboveTheProgress(t *testing.T) {
	s := newScreen(40)
	p := showing(s)
	p.drawLocked(start)
	if _, err := p.Write([]byte("Traceback\n")); err != nil {
		t.Fatal(err)
	}
	p.drawLocked(start)
	s.want(t, "Traceback", "━━━━─────────  1/3  0.0s", "@3 0.0s  for i in range(9):")
	p.eraseLocked()
	s.want(t, "Traceback", "")
}

func TestNoLineIsAsWideAsTheTerminalAndNothingIsLeftBehindWhenItChanges(t *testing.T) {
	for _, width := range []int{1, 2, 5, 10, 15, 40, 200} {
		for _, next := range []int{1, 7, 13, 39, 120} {
			s := newScreen(width)
			p := showing(s)
			printedBy(p, 0, strings.Repeat("漢字", 100))
			p.drawLocked(start)
			for _, row := range s.rows() {
				if w := columns().String(row); w >= max(width, 2) {
					t.Errorf("width %d: got a row of %d: %q", width, w, row)
				}
			}
			s.width = next
			p.drawLocked(start.Add(time.Hour))
			p.eraseLocked()
			if got := fmt.Sprint(s.rows()); got != "[]" {
				t.Errorf("from %d to %d: got %q left on the screen", width, next, got)
			}
		}
	}
}

func TestProgressThatDidNotChangeIsNotDrawnAgain(t *testing.T) {
	s := newScreen(40)
	p := showing(s)
	p.drawLocked(start)
	counted := &counter{}
	p.out = counted
	if p.drawLocked(start); counted.n != 0 {
		t.Errorf("got %d more bytes, want none", counted.n)
	}
}

type counter struct{ n int }

func (c *counter) Write(data []byte) (int, error) {
	c.n += len(data)
	return len(data), nil
}

func TestColoursAreLeftOutWhenNobodyWantsThem(t *testing.T) {
	b := board{total: 2, done: 1, failed: 1, began: start, last: "x", cellBegan: start, cell: RunningCell{1, "y"}}
	for _, colours := range []bool{true, false} {
		if got := strings.Contains(strings.Join(b.lines(80, colours, start), ""), "\x1b"); got != colours {
			t.Errorf("got colours %t, want %t", got, colours)
		}
	}
}

func TestTimesAreShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0.0s", 1250 * time.Millisecond: "1.2s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 90 * time.Minute: "1h30m",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestProgressStopsDrawingWhenItIsClosed(t *testing.T) {
	s := newScreen(40)
	p := showing(s)
	p.Start()
	p.Close()
	s.want(t, "")
}
