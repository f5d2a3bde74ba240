package runtime

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime/screen"
	"github.com/quirehq/quire/core/text"
)

// tail is the text of a stream beyond the limit of the log. It continues the last output of
// the stream, or a new one if another output came after that. Its end is shown: the last
// lines while the run executes, and more when it has ended. With a store the whole output
// becomes an artifact, including the text before the limit.
type tail struct {
	stream
	limit   int
	notice  string // its first line
	shown   string // the part that the output shows
	broken  bool   // the shown text before it does not end with a line end
	kept    []byte
	dropped int
	stored  int64   // bytes that were stored while more text could come
	fresh   bool    // it has text that is not shown yet
	file    Scratch // nil without a store
}

// liveLines and liveText bound the shown part of a tail while its run executes.
const (
	liveLines = 20
	liveText  = 4 << 10
)

// tail returns the tail of a stream, which begins with a notice.
func (s *shaper) tail(name string) *tail {
	for _, t := range s.tails {
		if t.name == name {
			return t
		}
	}
	t := &tail{stream: stream{name: name}, limit: s.limits.Tail}
	st := s.stream
	before, begun := "", ""
	if st != nil && st.name == name {
		begun = st.screen.Partial()
	}
	s.boundary()
	if st != nil && st.name == name {
		before, begun = t.takeOver(st, begun)
	}
	t.screen = &screen.Screen{}
	t.notice = fmt.Sprintf("… the run has printed %d bytes; of what follows the last lines are shown …\n", s.shown)
	s.tails = append(s.tails, t)
	s.show(t, t.head()+t.notice, true)
	if s.uploader != nil {
		var err error
		t.file, err = s.scratch(Waiting{Output: t.output, Run: s.run, Epoch: s.epoch, Late: s.late})
		if err == nil {
			_, err = io.WriteString(t.file, before)
		}
		if err != nil {
			s.endRun(notStored(err))
		}
	}
	t.keepEnd(begun)
	return t
}

// takeOver makes a tail continue the output of its stream. It returns the whole text printed
// to that, and the beginning of the tail: the last line, if it is incomplete and short
// enough, else the incomplete control sequence.
func (t *tail) takeOver(st *stream, begun string) (before, first string) {
	t.output = st.output
	all, line := st.whole(begun)
	cut := bytes.LastIndexByte(st.said, '\n') + 1
	first = string(all[len(all)-line:])
	if n := len(st.said) - cut; n > min(maxText, t.limit) || n > 0 && cut == 0 && !strings.Contains(first, "\r") {
		t.broken = true
		return string(all), begun
	}
	t.shown = string(st.said[cut:])
	return string(all), first
}

// head returns the text before a notice, which begins a new line.
func (t *tail) head() string {
	if t.broken {
		return "\n"
	}
	return ""
}

// show replaces the shown part of a tail: by an excerpt, or the whole tail.
func (s *shaper) show(t *tail, shown string, excerpt bool) {
	produced := s.measure.produced // the text of a tail was counted when it was printed
	s.stream = &t.stream
	s.stream.excerpt = excerpt
	s.appendEdit(screen.Edit{Drop: text.UTF16Len(t.shown), Text: shown})
	s.stream, s.measure.produced, t.said = nil, produced, nil
	t.shown, t.fresh = shown, false
}

// writeTail adds printed text to a tail.
func (s *shaper) writeTail(t *tail, text string) {
	if text == "" {
		return
	}
	t.keepEnd(text)
	if t.file == nil {
		return
	}
	if _, err := io.WriteString(t.file, text); err != nil {
		s.endRun(notStored(err))
	}
	s.measure.produced += int64(len(text))
	s.check()
}

// keepEnd adds text to the kept end.
func (t *tail) keepEnd(text string) {
	if text == "" {
		return
	}
	t.fresh = true
	t.kept = append(t.kept, text...)
	if len(t.kept) >= 2*t.limit {
		t.trim()
	}
}

// trim cuts the kept end to the limit.
func (t *tail) trim() {
	cut := lastPart(t.kept, t.limit)
	t.dropped += cut
	t.kept = append(t.kept[:0], t.kept[cut:]...)
}

// lastPart returns the start of the last part of a text with at most a number of bytes: the
// beginning of a line, or of a rune if the line is longer.
func lastPart(text []byte, most int) int {
	at := len(text) - most
	if at <= 0 {
		return 0
	}
	if i := bytes.IndexByte(text[at-1:], '\n'); i >= 0 && at+i < len(text) {
		return at + i
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// hasFreshTail reports whether a tail has text that is not shown yet.
func (s *shaper) hasFreshTail() bool {
	for _, t := range s.tails {
		if t.fresh {
			return true
		}
	}
	return false
}

// showFreshTails shows the last lines of the tails, while the run executes.
func (s *shaper) showFreshTails() {
	for _, t := range s.tails {
		if !t.fresh {
			continue
		}
		end := screen.Shown(t.kept[lastPart(t.kept, liveText):])
		lines := strings.SplitAfter(end, "\n")
		s.show(t, t.head()+t.notice+strings.Join(lines[max(len(lines)-liveLines, 0):], ""), true)
	}
}

// text returns the shown part of the tail when its run has ended.
func (t *tail) text(stored bool, failed error) string {
	t.trim()
	end := screen.Shown(t.kept)
	switch {
	case t.dropped == 0:
		return end
	case stored:
		return fmt.Sprintf("%s… %d bytes are left out here: the artifact of this output has the whole text …\n", t.head(), t.dropped) + end
	case failed != nil:
		return fmt.Sprintf("%s… %d bytes could not be stored: %s …\n", t.head(), t.dropped, valid(failed.Error())) + end
	}
	return fmt.Sprintf("%s… %d bytes not shown …\n", t.head(), t.dropped) + end
}

// showTails appends the ends of the tails, and stores their texts.
func (s *shaper) showTails() {
	tails := s.tails
	s.tails = nil
	for _, t := range tails {
		var stored event.Artifact
		var err error
		if t.file != nil && t.dropped+len(t.kept) > t.limit {
			if stored, err = s.uploader.upload(t.file); err != nil {
				s.endRun(notStored(fmt.Errorf("the text that the run printed: %w", err)))
			}
		}
		if err != nil && s.late != "" {
			t.file = nil // the file stays, for recovery
		}
		s.show(t, t.text(stored.Hash != "", err), t.dropped > 0)
		if stored.Hash != "" && t.output != "" {
			_ = s.emit(&event.OutputStored{
				Output: t.output, Run: s.run, Epoch: s.epoch, Late: s.late, Artifacts: map[string]event.Artifact{artifact.Plain: stored},
			})
		}
		t.close()
	}
}

// printed returns the number of bytes printed to a tail.
func (t *tail) printed() int64 { return int64(t.dropped + len(t.kept)) }

// storeSoFar stores the text of a tail so far.
func (s *shaper) storeSoFar(t *tail) {
	stored, err := s.uploader.upload(t.file)
	if _, failed := t.file.Seek(0, io.SeekEnd); failed != nil {
		s.endRun(notStored(failed))
	}
	if err != nil || t.output == "" {
		return // a later call tries again
	}
	t.stored = t.printed()
	_ = s.emit(&event.OutputStored{
		Output: t.output, Run: s.run, Epoch: s.epoch, Late: s.late, Artifacts: map[string]event.Artifact{artifact.Plain: stored},
	})
}

// dropTails drops the tails, whose outputs were cleared.
func (s *shaper) dropTails() {
	for _, t := range s.tails {
		t.close()
	}
	s.tails = nil
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // a file that cannot be removed only takes space
	}
}

// whole returns the whole printed text, once it is appended, with an incomplete control
// sequence, and the length of its last line.
func (t *stream) whole(begun string) (all []byte, line int) {
	before := t.said[:bytes.LastIndexByte(t.said, '\n')+1]
	last := t.printed[bytes.LastIndexByte(t.printed, '\n')+1:]
	if shown := t.said[len(before):]; screen.Shown(last) != screen.Shown(shown) {
		last = append(bytes.Clone(shown), begun...) // the cursor was moved to another line
	}
	if t.cut || len(t.printed) == 0 {
		return append(bytes.Clone(before), last...), len(last)
	}
	return t.printed, len(last)
}
