package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/runtime/screen"
)

// storingDesk is a desk whose shaper has a store.
func storingDesk(t testing.TB, limits Limits) (*desk, *shelf) {
	t.Helper()
	s := newShelf()
	limits.setDefaults(true)
	d := newDesk(t, limits)
	d.uploader = &uploader{store: s, grace: time.Second, life: context.Background(), run: context.Background()}
	d.scratch = s.scratch
	return d, s
}

// only returns the only output that a desk has.
func (d *desk) only() event.Output {
	d.t.Helper()
	outputs := d.book.Cell("c").Outputs
	if len(outputs) != 1 {
		d.t.Fatalf("got %d outputs, want one: %q", len(outputs), d.outputs())
	}
	return d.book.Output(outputs[0]).Value()
}

func TestAG60AValueBeyondTheInlineLimitIsAnArtifact(t *testing.T) {
	d, s := storingDesk(t, Limits{Inline: 100})
	png := strings.Repeat("\x89PNG", 100)
	b := lang.Text("text/html", strings.Repeat("<b>é</b>", 50))
	b.Data["image/png"] = lang.Text("", base64.StdEncoding.EncodeToString([]byte(png))).Data[""]
	b.Data["application/json"] = json.RawMessage(`{"rows":[` + strings.Repeat("1,", 100) + `2]}`)
	b.Data["text/plain"] = json.RawMessage(`"<Figure>"`)
	d.display(b, "x")
	v := d.only()
	if diff := cmp.Diff(map[string]json.RawMessage{"text/plain": json.RawMessage(`"<Figure>"`)}, v.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	for mime, want := range map[string]string{
		"image/png": png, "text/html": strings.Repeat("<b>é</b>", 50), "application/json": string(b.Data["application/json"]),
	} {
		a := v.Artifacts[mime]
		if got := s.content[a.Hash]; got != want || a.Size != int64(len(want)) {
			t.Errorf("%s: got %q of %d bytes, want %q", mime, got, a.Size, want)
		}
	}
}

func TestAG60PlainTextThatIsAnArtifactIsShownInPart(t *testing.T) {
	d, s := storingDesk(t, Limits{Inline: 100})
	text := "begin" + strings.Repeat("x", 1000) + "end"
	d.hold(plainText(text), "")
	d.finish(1, nil)
	v := d.only()
	shown := string(v.Data["text/plain"])
	if s.content[v.Artifacts["text/plain"].Hash] != text || !strings.HasPrefix(shown, `"begin`) || !strings.HasSuffix(shown, `end"`) || len(shown) > 200 {
		t.Errorf("got %s, and the artifact %v", shown, v.Artifacts)
	}
}

func TestAG60TheLargestValuesOfABundleThatIsTooLargeAreArtifacts(t *testing.T) {
	d, _ := storingDesk(t, Limits{Inline: 1000, Output: 1200})
	b := lang.Text("text/html", strings.Repeat("h", 900))
	b.Data["text/latex"] = lang.Text("", strings.Repeat("l", 800)).Data[""]
	d.display(b, "")
	v := d.only()
	if len(v.Artifacts) != 1 || v.Artifacts["text/html"].Size != 900 || len(v.Data) != 1 {
		t.Errorf("got artifacts %v and %d values", v.Artifacts, len(v.Data))
	}
}

func TestAG60OfARunWithMuchInTheLogSmallerValuesAreArtifactsToo(t *testing.T) {
	d, _ := storingDesk(t, Limits{})
	value := plainText(strings.Repeat("x", 200<<10))
	for range 200 {
		d.display(value, "")
	}
	if got := d.book.OutputSize(""); got > muchInline+1<<20 {
		t.Errorf("got %d bytes in the log of 40 MB", got)
	}
}

func TestAG60AnUpdateThatIsReplacedInTimeIsNotStored(t *testing.T) {
	d, s := storingDesk(t, Limits{Inline: 10})
	d.display(plainText("0"), "x")
	for i := range 50 {
		d.update("x", plainText(fmt.Sprintf("number %010d", i)))
	}
	d.finish(1, nil)
	if diff := cmp.Diff([]string{"number 0000000049"}, s.stored()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if v := d.only(); v.Artifacts["text/plain"].Size != 17 {
		t.Errorf("got %v", v)
	}
}

func TestAG61WhatIsShownAndWhatIsStoredIsAllThatWasPrinted(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 61))
		d, s := storingDesk(t, Limits{Stream: 1 + r.IntN(2000), Tail: 1 + r.IntN(500), RunOutput: 1 << 20})
		want := map[string]*strings.Builder{"stdout": {}, "stderr": {}}
		for range 1 + r.IntN(60) {
			name := []string{"stdout", "stdout", "stderr"}[r.IntN(3)]
			text := randomText(r)
			want[name].WriteString(text)
			d.write(name, text)
			switch r.IntN(8) {
			case 0:
				d.flush()
			case 1:
				d.showFreshTails()
			case 2:
				d.display(plainText("d"), "")
			}
		}
		d.finish(1, nil)
		for name, all := range want {
			got := s.printedWhole(t, d.book, "c", name)
			if diff := cmp.Diff(all.String(), got); diff != "" && strings.TrimSpace(all.String()) != strings.TrimSpace(got) {
				t.Fatalf("seed %d: %s (-printed +got):\n%s", seed, name, diff)
			}
		}
		if s.open != 0 {
			t.Fatalf("seed %d: %d files were left", seed, s.open)
		}
	}
}

func TestOU5TheArtifactOfATextIsAllThatTheProgramPrinted(t *testing.T) {
	const limit = 100
	for what, unit := range map[string]string{
		"lines": "line\n", "one line": "x", "letters of several bytes": "é🐎\n", "colours": "\x1b[31mred\x1b[0m\n",
		"a progress bar": "\r 10 % done", "bars that move up": "one\ntwo\x1b[A\r", "line ends of Windows": "a\r\n",
	} {
		for size := limit - 3*len(unit); size < limit+400; size += len(unit) {
			for _, piece := range []int{len(unit), 7 * len(unit), 1 << 20} {
				text := strings.Repeat(unit, size/len(unit))
				d, s := storingDesk(t, Limits{Stream: limit, Tail: 30})
				for rest := text; rest != ""; rest = rest[min(piece, len(rest)):] {
					d.write("stdout", rest[:min(piece, len(rest))])
					d.showFreshTails()
				}
				d.finish(1, nil)
				v := d.only()
				if a, stored := v.Artifacts["text/plain"]; stored && s.content[a.Hash] != text {
					t.Fatalf("%s: of %d bytes in pieces of %d got %q, want %q", what, size, piece, s.content[a.Hash], text)
				} else if !stored && !strings.Contains(text, "\x1b[A") && v.Text != screen.Shown([]byte(text)) {
					t.Fatalf("%s: of %d bytes in pieces of %d got %q without an artifact, want %q", what, size, piece, v.Text, text)
				}
			}
		}
	}
}

func TestOU5OfALongProgressBarTheArtifactHasWhatATerminalShows(t *testing.T) {
	d, s := storingDesk(t, Limits{Stream: 100, Tail: 10})
	d.write("stdout", "begin\n")
	for i := range 1000 {
		d.write("stdout", fmt.Sprintf("\r%d of 1000", i))
	}
	for i := range 100 {
		d.write("stdout", fmt.Sprintf("\nline %d", i))
	}
	d.finish(1, nil)
	got := s.content[d.only().Artifacts["text/plain"].Hash]
	if !strings.HasPrefix(got, "begin\n") || screen.Shown([]byte(got)) != "begin\n999 of 1000\n"+strings.TrimSuffix(lines(100), "\n") {
		t.Errorf("got %q", got)
	}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestOU5AfterAPersonHasClearedATextTheArtifactHasWhatCameSince(t *testing.T) {
	d, s := storingDesk(t, Limits{Stream: 20, Tail: 10})
	d.write("stdout", "taken away\n")
	d.flush()
	if err := d.fold(&event.CellOutputsCleared{}); err != nil {
		t.Fatal(err)
	}
	d.write("stdout", lines(20))
	d.finish(1, nil)
	if got := s.content[d.only().Artifacts["text/plain"].Hash]; got != lines(20) {
		t.Errorf("got %q", got)
	}
}

// randomText returns lines, and parts of lines, of letters of any size. No line is blank,
// for text of which nothing can be seen makes no output.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(30) {
		b.WriteString([]string{"x", "é", "🐎", "word ", "line\n", "a longer line of text\n"}[r.IntN(6)])
	}
	return b.String()
}

func TestAG61TheEndOfALongStreamIsShownWhileItGoesOn(t *testing.T) {
	d, _ := storingDesk(t, Limits{Stream: 10})
	d.write("stdout", "0123456789")
	for i := range 1000 {
		d.write("stdout", fmt.Sprintf("line %d\n", i))
	}
	d.showFreshTails()
	got := d.outputs()[0]
	if !strings.HasPrefix(got, "stdout: 0123456789\n… the run has printed 10 bytes;") || !strings.HasSuffix(got, "\nline 998\nline 999\n") || len(got) > 400 {
		t.Errorf("got %q", got)
	}
	before := len(d.stated)
	d.showFreshTails()
	if len(d.stated) != before {
		t.Error("what has not changed was stated again")
	}
}

func TestAG61AControlSequenceIsNotTornApart(t *testing.T) {
	d, s := storingDesk(t, Limits{Stream: 4, Tail: 1})
	d.write("stdout", "abc\x1b")
	d.write("stdout", "[31mred and more")
	d.finish(1, nil)
	if got := s.printedWhole(t, d.book, "c", "stdout"); got != "abc\x1b[31mred and more" && got != "abc\x1b[31mred and more\x1b[m" {
		t.Errorf("got %q", got)
	}
}

func TestAG61AClearForgetsWhatWasToBeStored(t *testing.T) {
	d, s := storingDesk(t, Limits{Stream: 4, Tail: 4})
	d.write("stdout", strings.Repeat("x", 100))
	d.clear(false)
	d.write("stdout", "ok")
	d.finish(1, nil)
	d.want("stdout: ok")
	if s.open != 0 || len(s.content) != 0 {
		t.Errorf("%d files are open and %q is stored", s.open, s.stored())
	}
}

// long is a program that prints 20 lines, of which a runtime with the limits of
// withShelf has the first in the log.
var long = printer(0, 20)

func withShelf(s *shelf, change ...func(*Config)) func(*Config) {
	return func(c *Config) {
		s.config(c)
		c.Limits = Limits{Stream: 4, Tail: 8, Inline: 8}
		for _, f := range change {
			f(c)
		}
	}
}

func (w *world) whole(s *shelf, cell event.CellID) (text string) {
	w.t.Helper()
	_ = w.person.With(func(r *replica.Replica) error {
		text = s.printedWhole(w.t, r.Confirmed(), cell, "stdout")
		return nil
	})
	return text
}

func TestAG62ARunFinishesAfterWhatItPrintedIsStored(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		m := w.add("rt", withShelf(s, func(*Config) { s.slow = time.Second }))
		cell := w.cell(append(long, "display text/html a longer text")...)
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		if got := w.whole(s, cell); got != numbers(20) {
			t.Errorf("got %q", got)
		}
		types := w.types(m.actor)
		if end := types[len(types)-2:]; end[0] != "OutputStored" || end[1] != "RunFinished" {
			t.Errorf("got %v last", end)
		}
	})
}

func TestAG63AProgramWaitsForAStoreThatIsAwayAndNothingIsDoubled(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		s.away = true
		m := w.add("rt", withShelf(s))
		cell := w.cell("display text/html a longer text", "print ok")
		id := w.request(cell)[0]
		time.Sleep(time.Minute)
		same(t, w.outputs(cell), nil)
		w.cut(m.actor)
		time.Sleep(time.Minute)
		s.set(func() { s.away = false })
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"display: ", "stdout: ok\n"})
		if diff := cmp.Diff([]string{"a longer text"}, s.stored()); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	})
}

func TestAG63ACancelEndsWaitingForTheStore(t *testing.T) {
	for what, program := range map[string][]string{"a value": {"display text/html a longer text", "loop"}, "a text": long} {
		inWorld(t, func(t *testing.T, w *world) {
			s := newShelf()
			s.away = true
			w.add("rt", withShelf(s))
			cell := w.cell(program...)
			id := w.request(cell)[0]
			time.Sleep(time.Minute)
			began := time.Now()
			w.do(&event.RunCancelled{Run: id})
			w.wantStatus(id, event.StatusCancelled)
			if took := time.Since(began); took > 11*time.Second {
				t.Errorf("%s: it took %v", what, took)
			}
			s.set(func() { s.away = false })
			same(t, w.run("print b"), []string{"stdout: b\n"})
		})
	}
}

func TestAG63WhatGetsOnIsStoredAlsoAfterACancel(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		s.slow = time.Second
		w.add("rt", withShelf(s))
		var lines []string
		for range 60 {
			lines = append(lines, "print "+strings.Repeat("x", 10<<10))
		}
		cell := w.cell(append(lines, "loop")...)
		id := w.request(cell)[0]
		w.state(id, notebook.RunStarted)
		time.Sleep(time.Second)
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		if got := len(w.whole(s, cell)); got != 60*(10<<10+1) {
			t.Errorf("got %d bytes", got)
		}
	})
}

func TestAG63ATimeOutEndsWaitingForTheStore(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		s.away = true
		w.add("rt", withShelf(s, func(c *Config) { c.RunTimeout = time.Minute }))
		cell := w.cell("display text/html a longer text", "loop")
		id := w.request(cell)[0]
		time.Sleep(59 * time.Second)
		if !w.hasStarted(id) {
			t.Fatal("it has not started")
		}
		time.Sleep(12 * time.Second)
		w.wantStatus(id, event.StatusError)
	})
}

func TestAG64WhatTheStoreRefusesEndsTheRun(t *testing.T) {
	for what, program := range map[string][]string{"a value": {"display text/html a longer text", "loop"}, "a text": long} {
		inWorld(t, func(t *testing.T, w *world) {
			s := newShelf()
			s.refuses = errors.New("the notebook has 10 GiB of artifacts, which is the limit")
			w.add("rt", withShelf(s))
			cell := w.cell(program...)
			id := w.request(cell)[0]
			status, reason := w.ended(id)
			if status != event.StatusError || !strings.Contains(reason, "which is the limit") {
				t.Errorf("%s: got %s: %s", what, status, reason)
			}
			w.wantCause(id, event.CauseNotStored)
			out := w.outputs(cell)
			if last := out[len(out)-1]; !strings.HasPrefix(last, "error: NotStored") {
				t.Errorf("%s: got %q last", what, last)
			}
		})
	}
}

func TestAG64ADiskThatIsFullEndsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		s.full = true
		w.add("rt", withShelf(s))
		cell := w.cell(append(long, "loop")...)
		status, reason := w.ended(w.request(cell)[0])
		if status != event.StatusError || !strings.Contains(reason, errFull.Error()) {
			t.Errorf("got %s: %s", status, reason)
		}
	})
}

func TestAG65ARunThatProducesTooMuchIsEnded(t *testing.T) {
	for what, program := range map[string][]string{
		"text": printer(0, 10_000), "displays": strings.Split(strings.Repeat("display text/plain x\n", 2000), "\n"),
		"updates": append([]string{"display-id x text/plain a"}, strings.Split(strings.Repeat("update x text/html a longer text\ndisplay text/plain y\n", 500), "\n")...),
	} {
		inWorld(t, func(t *testing.T, w *world) {
			s := newShelf()
			w.add("rt", withShelf(s, func(c *Config) { c.Limits.RunOutput = 10_000 }))
			cell := w.cell(append(program, "loop")...)
			status, reason := w.ended(w.request(cell)[0])
			if status != event.StatusError || !strings.Contains(reason, "9.766 KiB") || !strings.Contains(reason, "--output") {
				t.Errorf("%s: got %s: %s", what, status, reason)
			}
			if got := w.whole(s, cell); what == "text" && (len(got) < 9_990 || !strings.HasPrefix(numbers(10_000), got)) {
				t.Errorf("got %d bytes that were printed, ending %q", len(got), got[max(0, len(got)-20):])
			}
			same(t, w.run("print b"), []string{"stdout: b\n"})
		})
	}
}

func TestAG65AProgramThatDoesNotStopIsKilledAndTheErrorIsSeen(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		hit := make(chan string, 10)
		w.add("rt", withShelf(s, func(c *Config) {
			c.Limits.RunOutput = 1000
			c.Limited = func(run event.RunID, limit, value string) { hit <- fmt.Sprint(run, ": ", limit, " ", value) }
		}))
		cell := w.cell(append(printer(0, 1000), "stubborn")...)
		run := w.request(cell)[0]
		status, reason := w.ended(run)
		if got, want := <-hit, fmt.Sprint(run, ": output 1000 B"); got != want || len(hit) > 0 {
			t.Errorf("it told of %q and %d more, want %q", got, len(hit), want)
		}
		if status != event.StatusError || !strings.Contains(reason, "its variables are lost") {
			t.Errorf("got %s: %s", status, reason)
		}
		w.wantCause(run, event.CauseOutputLimit)
		if got := w.outputs(cell); !strings.HasPrefix(got[len(got)-1], "error: OutputLimit") {
			t.Errorf("got %q", got)
		}
		if got := w.whole(s, cell); len(got) < 990 {
			t.Errorf("got %d bytes stored", len(got))
		}
	})
}

func TestAG65ADisplayThatIsUpdatedCountsOnceInTheLog(t *testing.T) {
	d, _ := storingDesk(t, Limits{NotebookOutput: 1000})
	d.display(plainText("0"), "x")
	for i := range 100 {
		d.update("x", plainText(strings.Repeat("x", 100+i)))
		d.flush()
	}
	if d.ended != nil {
		t.Errorf("got %v", d.ended)
	}
}

func TestAG66ARunThatFillsTheNotebookIsEnded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt", func(c *Config) { c.Limits.NotebookOutput = 2000 })
		lines := printer(1000, 1300)
		w.wantStatus(w.request(w.cell(lines...))[0], event.StatusOK)
		cell := w.cell(append(lines, "loop")...)
		status, reason := w.ended(w.request(cell)[0])
		if status != event.StatusError || !strings.Contains(reason, "--notebook-output") || !strings.Contains(reason, "2000 B") {
			t.Errorf("got %s: %s", status, reason)
		}
		w.do(&event.CellOutputsCleared{})
		again := w.cell(append(lines, "wait go")...)
		id := w.request(again)[0]
		m.engine().Release("go")
		w.wantStatus(id, event.StatusOK)
	})
}
