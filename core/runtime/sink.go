package runtime

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/internal/ctxmutex"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
)

const (
	// interval is the least time between two appends of text or display updates.
	interval = time.Second / 30
	// answerInterval is that between two appends of an answer in Markdown.
	answerInterval = 50 * time.Millisecond
	// tailInterval is that for the end of a stream that exceeds the limit of the log.
	tailInterval = time.Second
)

// sink receives the output of a run from an engine. It decides when the collected output of
// the shaper is appended.
type sink struct {
	mute    context.CancelFunc // drops all later output, and ends waiting calls
	pressed func() bool

	mu          ctxmutex.Mutex
	life        context.Context // ends when the sink is muted
	shaper      *shaper
	pace        pace        // of the shaper's collected output
	tailsShown  time.Time   // when the ends of long streams were last appended
	tailsTimer  *time.Timer // nil when none is set
	done        bool        // the program has ended
	comms       *comms      // nil if the engine has none
	engine      lang.Engine // of the comms
	stopTimeout func()      // ends the effect of the run's timeout on uploads

	cell      event.CellID
	late      *lateOutput   // of the engine's runs; nil without an engine
	takesLate chan struct{} // closed when isLate
	isLate    bool          // the run's end is appended: further output is late
	noted     bool          // it was added to late
	measured  time.Time     // when the notebook's outputs were last measured
	excess    *limitError   // of late output, to be shown
}

var _ lang.MarkdownSink = (*sink)(nil)

// newSink returns the sink of a run. Ctx ends when the run must end; end ends the run
// because of its output.
func (rt *Runtime) newSink(ctx context.Context, run *notebook.Run, end func(*limitError)) *sink {
	life, mute := context.WithCancel(context.Background()) // outputs outlive the run's context, by the grace at most
	s := &sink{
		mute:        mute,
		life:        life,
		mu:          ctxmutex.New(),
		stopTimeout: func() {},
		cell:        run.Cell, takesLate: make(chan struct{}),
		shaper: &shaper{
			run:     run.ID,
			epoch:   rt.epoch,
			newID:   rt.newOutput,
			limits:  rt.cfg.Limits,
			end:     end,
			measure: measure{limits: rt.cfg.Limits, elsewhere: rt.elsewhere},
		},
	}
	s.pressed = func() bool { return rt.out.isPressed(s.life) }
	// The last outputs are sent with the end of the run.
	s.shaper.emit = func(p event.Payload) error { return rt.out.emit(s.life, p, s.done) }
	if rt.cfg.Artifacts != nil {
		rt.storeFor(ctx, s)
	}
	return s
}

// storeFor makes a sink upload outputs that are too large for the log.
func (rt *Runtime) storeFor(ctx context.Context, s *sink) {
	k := &uploader{store: rt.cfg.Artifacts, grace: rt.cfg.Grace, life: s.life, run: ctx}
	s.shaper.uploader, s.shaper.scratch = k, rt.cfg.Scratch
	if rt.cfg.RunTimeout == 0 {
		return
	}
	timed, cancel := context.WithTimeout(ctx, rt.cfg.RunTimeout)
	k.run = timed
	s.stopTimeout = func() {
		cancel()
		k.run = ctx
	}
}

// newOutput returns a unique id: it begins with that of the client.
func (rt *Runtime) newOutput() event.OutputID {
	return event.OutputID(string(rt.cfg.Client) + "-o" + strconv.FormatUint(rt.outputs.Add(1), 10))
}

// Stream implements lang.Sink.
func (s *sink) Stream(name, text string) {
	s.lock()
	defer s.unlock()
	s.shaper.write(name, text)
	s.paceLocked()
	s.showTailsLocked()
}

// Markdown implements lang.MarkdownSink.
func (s *sink) Markdown(text string, metadata map[string]json.RawMessage) {
	s.lock()
	defer s.unlock()
	s.pace.least = answerInterval
	s.shaper.writeMarkdown(text, metadata)
	s.paceLocked()
	s.showTailsLocked()
}

// Display implements lang.Sink.
func (s *sink) Display(b lang.Bundle, displayID string) {
	s.lock()
	defer s.unlock()
	s.shaper.display(b, displayID)
}

// Update implements lang.Sink.
func (s *sink) Update(displayID string, b lang.Bundle) {
	s.lock()
	defer s.unlock()
	s.shaper.update(displayID, b)
	s.paceLocked()
}

// Result implements lang.Sink.
func (s *sink) Result(b lang.Bundle, displayID string) {
	s.lock()
	defer s.unlock()
	if s.isLate {
		s.shaper.display(b, "")
		return
	}
	s.shaper.hold(b, displayID)
}

// Fail implements lang.Sink.
func (s *sink) Fail(err *lang.Error) {
	s.lock()
	defer s.unlock()
	s.shaper.fail(failure(err))
}

// Clear implements lang.Sink.
func (s *sink) Clear(wait bool) {
	s.lock()
	defer s.unlock()
	s.shaper.clear(wait)
}

// revive lets a muted sink append its last output, within a grace, or while uploads
// progress: the program was killed because of its output, which users should see.
func (s *sink) revive(grace time.Duration) (done context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute()
	s.life, s.mute = context.WithTimeout(context.Background(), grace)
	store, done := context.WithCancel(context.Background())
	if k := s.shaper.uploader; k != nil {
		k.life = store
	}
	return done
}

// flushAll appends and stores all collected output, when the program has ended.
func (s *sink) flushAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked()
	s.stopTimeout()
	s.shaper.flushAll()
}

// endLocked has no timer flush the collected output any more.
func (s *sink) endLocked() {
	s.done = true
	s.pace.stop()
	if s.tailsTimer != nil {
		s.tailsTimer.Stop()
	}
}

// finish appends the held result, and the error that ended the run if there is one. No
// output is appended after it.
func (s *sink) finish(count int, failed *event.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.shaper.finish(count, failed)
	s.mute()
}

// showTailsLocked appends the ends of long streams, or sets a timer for that.
func (s *sink) showTailsLocked() {
	if s.tailsTimer != nil || !s.shaper.hasFreshTail() {
		return
	}
	wait := tailInterval - time.Since(s.tailsShown)
	if wait <= 0 && !s.pressed() {
		s.shaper.showFreshTails()
		s.tailsShown = time.Now()
		s.keepLongLocked()
		return
	}
	s.tailsTimer = time.AfterFunc(max(wait, interval), s.showTailsTick)
}

func (s *sink) showTailsTick() {
	s.mu.Lock()
	defer s.unlock()
	s.tailsTimer = nil
	if !s.done {
		s.showTailsLocked()
	}
}

// paceLocked appends the collected output, or sets a timer for that.
func (s *sink) paceLocked() {
	if s.shaper.isWaiting() && s.pace.due(s.pressed, s.tick) {
		s.flushLocked()
	}
}

func (s *sink) tick() {
	s.mu.Lock()
	defer s.unlock()
	s.pace.ticked()
	if !s.done {
		s.paceLocked()
	}
}

func (s *sink) flushLocked() {
	s.shaper.flush()
	s.pace.appended()
}

const (
	// storeGrown is the growth of a long text after which it is stored again while more of it
	// may come, and storeSlow how long storing may take: the program waits for it.
	storeGrown = 1 << 20
	storeSlow  = 5 * time.Second
)

// keepLongLocked stores long texts that have grown, while more text may come.
func (s *sink) keepLongLocked() {
	if !s.isLate || s.shaper.uploader == nil || s.pressed() {
		return
	}
	for _, t := range s.shaper.tails {
		if t.file == nil || t.printed() < 2*t.stored+storeGrown {
			continue
		}
		soon, cancel := context.WithTimeout(s.life, storeSlow)
		s.shaper.uploader.life = soon
		s.shaper.storeSoFar(t)
		s.shaper.uploader.life = s.life
		cancel()
	}
}
