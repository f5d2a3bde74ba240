package screen

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// reference is a terminal as simple as can be: it is given everything that was
// printed, one rune or whole sequence at a time, and shows all of its text.
type reference struct {
	scrolled string
	rows     []referenceRow
	row, col int
	pen      style
}

type referenceRow struct {
	cells []cell
	soft  bool
}

var tokens = regexp.MustCompile(`(?s)\x1b\[[ -?]*[@-~]|\x1b[\]P][^\a\n\x1b]*(\a|\x1b\\)|\x1b[()].|\x1b[0-~]|.`)

// write prints text that ends with a whole token.
func (t *reference) write(text string) {
	for _, token := range tokens.FindAllString(text, -1) {
		t.take(token)
	}
}

func (t *reference) take(token string) {
	switch r := []rune(token); {
	case token == "\n":
		t.down()
		t.col = 0
	case token == "\r":
		t.col = 0
	case token == "\b":
		t.col = max(0, t.col-1)
	case strings.HasPrefix(token, "\x1b["):
		t.sequence(token[2:len(token)-1], token[len(token)-1])
	case r[0] >= ' ' && r[0] != 0x7F || token == "\t":
		t.print(r[0])
	}
}

func (t *reference) print(r rune) {
	if t.col == Columns {
		t.rows[t.row].soft = true
		t.down()
		t.col = 0
	}
	row := &t.rows[t.row]
	for len(row.cells) <= t.col {
		row.cells = append(row.cells, cell{char: ' '})
	}
	row.cells[t.col] = cell{r, t.pen}
	t.col++
}

func (t *reference) down() {
	t.row++
	if t.row == len(t.rows) {
		t.rows = append(t.rows, referenceRow{})
	}
	if len(t.rows) > Rows {
		t.scrolled += t.rows[0].text(false, t.pen)
		t.rows = t.rows[1:]
		t.row--
	}
}

func (t *reference) sequence(params string, final byte) {
	n, _ := strconv.Atoi(params)
	n = max(n, 1)
	row := &t.rows[t.row]
	switch string(final) {
	case "A":
		t.row = max(0, t.row-n)
	case "F":
		t.row, t.col = max(0, t.row-n), 0
	case "B":
		t.row = min(len(t.rows)-1, t.row+n)
	case "E":
		t.row, t.col = min(len(t.rows)-1, t.row+n), 0
	case "C":
		t.col = min(Columns-1, t.col+n)
	case "D":
		t.col = max(0, t.col-n)
	case "G":
		t.col = min(Columns, n) - 1
	case "m":
		t.pen.apply(params)
	case "K":
		switch params {
		case "", "0":
			row.cells, row.soft = row.cells[:min(t.col, len(row.cells))], false
		case "2":
			row.cells, row.soft = nil, false
		case "1":
			for len(row.cells) < min(t.col+1, Columns) {
				row.cells = append(row.cells, cell{})
			}
			for i := range min(t.col+1, Columns) {
				row.cells[i] = cell{char: ' '}
			}
		}
	case "J":
		row.cells, row.soft = row.cells[:min(t.col, len(row.cells))], false
		t.rows = t.rows[:t.row+1]
	}
}

func (t *reference) text() string {
	all := t.scrolled
	for i, row := range t.rows {
		all += row.text(i == len(t.rows)-1, t.pen)
	}
	return all
}

func (r referenceRow) text(last bool, now style) string {
	var text []byte
	var pen style
	for _, c := range r.cells {
		text = append(appendChange(text, pen, c.style), string(c.char)...)
		pen = c.style
	}
	if pen != (style{}) && (!last || now == style{}) {
		text = append(text, "\x1b[0m"...)
	}
	if !last && !r.soft {
		text = append(text, '\n')
	}
	return string(text)
}

// reader holds a text as those who read the edits do.
type reader struct{ units []uint16 }

func (r *reader) take(t *testing.T, e Edit) {
	t.Helper()
	if e.Drop > len(r.units) {
		t.Fatalf("an edit drops %d units of %d", e.Drop, len(r.units))
	}
	r.units = append(r.units[:len(r.units)-e.Drop], utf16.Encode([]rune(e.Text))...)
}

func (r *reader) text() string { return string(utf16.Decode(r.units)) }

// randomToken is something that a program may print.
func randomToken(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	switch r.IntN(12) {
	case 0, 1, 2:
		return strings.Repeat(pick("a", "é", "🐎", "xy ", "█", "\t"), 1+r.IntN(9))
	case 3, 4:
		return "\n"
	case 5:
		return pick("\r", "\b", "\r\n", "\a", "\x00", "\x7f")
	case 6, 7:
		return fmt.Sprintf("\x1b[%s%s", pick("", "1", "2", "3", "7", "200"), pick("A", "B", "C", "D", "E", "F", "G"))
	case 8:
		return "\x1b[" + pick("K", "0K", "1K", "2K", "J", "0J")
	case 9:
		return "\x1b[" + pick("", "0", "1", "31", "32", "1;44", "38;5;200", "48;2;1;2;3", "39", "22", "4:3", "38:5:9") + "m"
	case 10:
		return pick("\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1b(B", "\x1b7", "\x1b[?25l", "\x1bPq\x1b\\")
	default:
		if r.IntN(60) == 0 {
			return pick(strings.Repeat("\n", 120), strings.Repeat("w", Columns+5), strings.Repeat("line\n", 150))
		}
		return "\n"
	}
}

func TestAG20AnyStreamReadsAsOnATerminal(t *testing.T) {
	n := uint64(1_000)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		checkSeed(t, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkSeed prints a random stream in random pieces, and looks at it now and then.
func checkSeed(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 20))
	var s Screen
	var read reader
	ref := reference{rows: make([]referenceRow, 1)}
	printed := ""
	for range 60 {
		token := randomToken(r)
		printed += token
		ref.write(token)
		cut := r.IntN(len(token) + 1)
		for cut > 0 && cut < len(token) && token[cut]&0xC0 == 0x80 {
			cut--
		}
		s.Write(token[:cut])
		s.Write(token[cut:])
		if r.IntN(8) > 0 {
			continue
		}
		if e, ok := s.Take(); ok {
			read.take(t, e)
		}
		if got, want := read.text(), ref.text(); got != want {
			t.Fatalf("of %q\ngot  %q\nwant %q", printed, got, want)
		}
	}
}
