//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/e2e/stage"
	"github.com/quirehq/quire/internal/sqlite"
)

// verify opens the data directory, which no server has any more, and checks every
// promise.
func (p *playing) verify(t *testing.T) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: p.house.dir})
	if err != nil {
		t.Fatalf("the data directory cannot be opened: %v", err)
	}
	for _, b := range p.books {
		b.verify(t, db.Log(b.id))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	for name, log := range p.house.logs() {
		if strings.Contains(log, "no server for ") { // no scenario lasts that long
			t.Errorf("%s gave up looking for a server", name)
		}
	}
	for _, crash := range stage.Crashes(p.house.logs()) {
		t.Errorf("a process crashed: %s", crash)
	}
	if !p.mayFail() {
		for _, end := range p.house.own {
			t.Error(end)
		}
	}
}

func (b *book) verify(t *testing.T, log room.Log) {
	t.Helper()
	r, err := read(t.Context(), log)
	if err != nil {
		t.Fatalf("the log of notebook %s cannot be read: %v", b.id, err)
	}
	wrong := append(r.wrong, b.ledger.verify(r.at)...)
	wrong = append(wrong, b.verifyLetters(r)...)
	wrong = append(wrong, b.verifyRuns(r)...)
	wrong = append(wrong, b.verifyOutside(r)...)
	for _, c := range b.added {
		if fault := c.fault(r.cells); fault != "" {
			wrong = append(wrong, fault)
		}
	}
	for _, w := range wrong {
		t.Errorf("notebook %s: %s", b.id, w)
	}
	if err := errors.Join(b.verifyReplicas(r.book), verifySnapshot(t.Context(), log, r.book)); err != nil {
		t.Errorf("notebook %s: %v", b.id, err)
	}
	b.play.tally.log(int(r.book.Seq()), len(b.ledger.shown))
}

// verifyReplicas wants every replica to be what the log folds to, byte by byte.
func (b *book) verifyReplicas(book *notebook.Notebook) error {
	want, err := book.Snapshot()
	if err != nil {
		return err
	}
	hash, err := book.Hash()
	if err != nil {
		return err
	}
	for _, c := range b.clients() {
		err := c.With(func(r *replica.Replica) error {
			got, err := r.Confirmed().Snapshot()
			if err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				return fmt.Errorf("is another notebook, at %d, than the log folds to, at %d", r.Confirmed().Seq(), book.Seq())
			}
			if its, err := r.Confirmed().Hash(); err != nil || its != hash {
				return fmt.Errorf("has hash %x, and the log folds to %x (%w)", its, hash, err)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("client %s %w", c.id, err)
		}
	}
	return nil
}

// verifySnapshot wants the snapshot with what came after it to be what the log folds to.
func verifySnapshot(ctx context.Context, log room.Log, book *notebook.Notebook) error {
	s, err := log.Snapshot(ctx)
	if err != nil || s.Seq == 0 {
		return err
	}
	restored, err := notebook.Restore(s.Data)
	if err != nil {
		return fmt.Errorf("restore the snapshot at %d: %w", s.Seq, err)
	}
	err = log.Read(ctx, s.Seq, func(rec event.Record) error {
		e, err := event.Decode(bytes.Clone(rec.Data))
		if err == nil {
			_, err = restored.Apply(&e, nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	got, err := restored.Snapshot()
	if err != nil {
		return err
	}
	if want, err := book.Snapshot(); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("the snapshot at %d folds to another notebook than the log (%w)", s.Seq, err)
	}
	return nil
}

// verifyLetters wants each letter that was typed into the common cell there once, and
// none that was refused.
func (b *book) verifyLetters(r *reader) (wrong []string) {
	if b.isTorn(r) {
		return nil
	}
	source := b.commonText(r)
	for letter, id := range b.letters {
		least, most := b.ledger.times(id, r.at)
		if got := strings.Count(source, string(letter)); got < least || got > most {
			wrong = append(wrong, fmt.Sprintf("letter %c of event %s (at %d) is there %d times", letter, id, r.at[id], got))
		}
	}
	return wrong
}

// verifyOutside wants the bytes of every artifact that the log has.
func (b *book) verifyOutside(r *reader) (wrong []string) {
	for _, a := range r.outside {
		data, err := os.ReadFile(filepath.Join(b.play.house.dir, "artifacts", a.Hash[:2], a.Hash))
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("the log has an artifact that is not there: %v", err))
		} else if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != a.Hash || int64(len(data)) != a.Size {
			wrong = append(wrong, fmt.Sprintf("artifact %s of %d bytes has become %s of %d", a.Hash, a.Size, sum, len(data)))
		}
	}
	b.play.tally.stored(len(r.outside))
	return wrong
}

// verifyRuns wants each program to have become what it must.
func (b *book) verifyRuns(r *reader) (wrong []string) {
	engines := 0
	for id, p := range b.programs {
		run, got := r.book.Run(id), r.runs[id]
		if run == nil { // its request was refused, or its client killed, which the ledger knows
			continue
		}
		if run.State != notebook.RunFinished || got.ended == "" {
			wrong = append(wrong, fmt.Sprintf("run %s has not ended", id))
			continue
		}
		got.finish()
		done, err := p.done()
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("run %s: %v", id, err))
			continue
		}
		if fault := b.fault(run, got, p, done, r); fault != "" {
			wrong = append(wrong, fmt.Sprintf("run %s (%s by %s, %q, step %d of %d) %s\n%s",
				id, run.Status, got.ended, run.Reason, done, len(p.steps), fault, p.source))
		}
		if isEngineLoss(got) {
			engines++
		}
		b.play.tally.ran(fmt.Sprintf("%s by %s", run.Status, got.ended))
	}
	if engines > b.engines && !b.play.mayFail() {
		wrong = append(wrong, fmt.Sprintf("%d runs were lost with their engines, of which %d were killed", engines, b.engines))
	}
	return append(wrong, b.verifyStops(r)...)
}

// verifyStops wants leases to have ended only where a runtime could not be heard for as
// long, frozen or cut off, and the server to have reported as ended only runtimes that were
// killed.
func (b *book) verifyStops(r *reader) (wrong []string) {
	if away := b.play.runtimes.absences(b.id, lease*9/10); r.leases > away {
		wrong = append(wrong, fmt.Sprintf("%d leases have ended, and a runtime was away for as long %d times", r.leases, away))
	}
	for _, id := range r.died {
		if !b.play.wasKilled(id) && !b.play.mayFail() {
			wrong = append(wrong, fmt.Sprintf("runtime %s is said to have ended, and was not killed", id))
		}
	}
	return wrong
}

// isEngineLoss reports whether a run failed with its engine.
func isEngineLoss(got *transcript) bool {
	return got.failed != nil && (got.failed.Name == runtime.EngineDied || got.failed.Name == runtime.EngineNotReady)
}

// fault says what is wrong with a run that has ended.
func (b *book) fault(run *notebook.Run, got *transcript, p *printer, done int, r *reader) string {
	switch {
	case got.finished > 1:
		return fmt.Sprintf("has finished %d times", got.finished)
	case p.thread:
		// What the thread printed is there, unless its runtime was killed, or given up.
		if rt := r.book.Runtime(event.TakesCode); rt == nil || rt.Epoch != run.Epoch || rt.Reason == event.StopLease {
			done = 0
		}
		b.play.tally.printedLate(strings.Count(got.out+got.err, "\n"))
		return p.fault(got, done, false)
	case run.Status == event.StatusOK || run.Status == event.StatusError && !isEngineLoss(got):
		if run.Status != p.end || done != len(p.steps) {
			return fmt.Sprintf("should end as %s: %+v", p.end, got.failed)
		}
		return p.fault(got, done, true)
	case run.Status == event.StatusCancelled && got.cancelled:
		return p.fault(got, done, false)
	case run.Status == event.StatusCancelled:
		if got.started || done > 0 {
			return "was cancelled after it had started, and nobody asked for that"
		}
		return ""
	case run.Reason == "" && got.failed == nil:
		return "has no reason"
	case isEngineLoss(got):
		return p.fault(got, done, false)
	case got.ended == "RunFinished":
		return "was given up by its runtime"
	}
	// What a runtime that was killed had gathered and not stated is lost with it.
	return p.fault(got, 0, false)
}
