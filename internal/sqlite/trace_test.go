package sqlite_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/quirehq/quire/core/event"
)

// prose is the text that the people of a trace type.
const prose = "for i in range(10):\n    total += weights[i] * values[i]\nprint(f\"the total is {total:.2f}\")\n" +
	"# Then we compare this with what the others have measured, and plot the difference.\n" +
	"df = pd.read_csv('data.csv').groupby(\"country\").agg({'price': 'mean'})\n"

// typist generates the events of people who type into cells: runs of single letters, with
// deletions, jumps and pastes between them.
type typist struct {
	random *rand.Rand
	time   int64
	next   int // in prose
	cell   int
	revs   [12]int
	at     [12]int
	length [12]int
	people [2]int // the counters of their clients
	person int
}

func newTypist(seed uint64) *typist {
	return &typist{random: rand.New(rand.NewPCG(seed, 7)), time: 1795800000000}
}

// record returns the next event.
func (y *typist) record(seq event.Seq) event.Record {
	y.time += 50 + y.random.Int64N(250)
	if y.random.IntN(60) == 0 {
		y.jump()
	}
	y.people[y.person]++
	c := y.cell
	edit := y.edit(c)
	data := fmt.Appendf(nil, `{"seq":%d,"id":"%s.%d","actor":"person:%s","time":%d,"type":"SourceEdited","payload":{"cell":"k3x9ab12-%d","rev":%d,"edit":%s}}`,
		seq, [2]string{"k3x9ab12", "p0q7zz4e"}[y.person], y.people[y.person], [2]string{"owner", "ada"}[y.person], y.time, c+4, y.revs[c], edit)
	y.revs[c]++
	return event.Record{Seq: seq, Data: data}
}

func (y *typist) jump() {
	y.time += y.random.Int64N(20_000)
	if y.random.IntN(3) == 0 {
		y.cell = y.random.IntN(len(y.at))
	}
	if y.random.IntN(8) == 0 {
		y.person = 1 - y.person
	}
	y.at[y.cell] = y.random.IntN(y.length[y.cell] + 1)
}

func (y *typist) edit(c int) string {
	switch n := y.random.IntN(100); {
	case n < 12 && y.at[c] > 0:
		y.at[c]--
		y.length[c]--
		return fmt.Sprintf(`[%s-1]`, keep(y.at[c]))
	case n == 12:
		return y.insert(c, 5+y.random.IntN(60))
	}
	return y.insert(c, 1)
}

func (y *typist) insert(c, n int) string {
	start := y.next % (len(prose) - n)
	y.next = start + n
	e := fmt.Sprintf(`[%s%q]`, keep(y.at[c]), prose[start:start+n])
	y.at[c] += n
	y.length[c] += n
	return e
}

func keep(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d,", n)
}
