package agent

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/agent/screen"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
)

// tail is what a stream has beyond the limit of the log. It is an output of its own, of
// which the end is shown: the last lines while the run goes on, and more when it has
// ended. With a store all of it becomes an artifact.
type tail struct {
	stream
	limit   int
	notice  string // its first line
	said    string // what the output shows
	kept    []byte
	dropped int
	fresh   bool    // it has more than it shows
	file    Scratch // nil without a store
}

// liveLines and liveText bound what is shown of a tail while its run goes on.
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
	begun := ""
	if s.stream != nil && s.stream.name == name {
		begun = s.stream.screen.Partial() // a control sequence that goes on in the tail
	}
	s.boundary()
	t := &tail{stream: stream{name: name, screen: &screen.Screen{}}, limit: s.limits.Tail}
	t.notice = fmt.Sprintf("… the run has printed %d bytes; of what follows the last lines are shown …\n", s.shown)
	s.tails = append(s.tails, t)
	s.show(t, t.notice)
	if s.keeper != nil {
		var err error
		t.file, err = s.scratch(Waiting{Output: t.output, Run: s.run, Epoch: s.epoch})
		if err != nil {
			s.stop(notStored(err))
		}
	}
	s.writeTail(t, begun)
	return t
}

// show puts a text in place of what the output of a tail shows.
func (s *shaper) show(t *tail, text string) {
	produced := s.measure.produced // what is shown of a tail was counted as it was printed
	s.stream = &t.stream
	s.say(screen.Edit{Drop: utf16Len(t.said), Text: text})
	s.stream, s.measure.produced = nil, produced
	t.said, t.fresh = text, false
}

// writeTail takes printed text.
func (s *shaper) writeTail(t *tail, text string) {
	if text == "" {
		return
	}
	t.fresh = true
	t.kept = append(t.kept, text...)
	if len(t.kept) >= 2*t.limit {
		t.trim()
	}
	if t.file == nil {
		return
	}
	if _, err := io.WriteString(t.file, text); err != nil {
		s.stop(notStored(err))
	}
	s.measure.produced += int64(len(text))
	s.check()
}

// trim drops what is before the end that is kept, in whole runes.
func (t *tail) trim() {
	cut := wholeRunes(t.kept, max(len(t.kept)-t.limit, 0))
	t.dropped += cut
	t.kept = append(t.kept[:0], t.kept[cut:]...)
}

// wholeRunes returns where the first rune begins from a place on.
func wholeRunes(text []byte, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// hasNews reports whether a tail has more than it shows.
func (s *shaper) hasNews() bool {
	for _, t := range s.tails {
		if t.fresh {
			return true
		}
	}
	return false
}

// showNews shows the last lines of the tails, while the run goes on.
func (s *shaper) showNews() {
	for _, t := range s.tails {
		if !t.fresh {
			continue
		}
		end := screen.Shown(t.kept[wholeRunes(t.kept, max(len(t.kept)-liveText, 0)):])
		lines := strings.SplitAfter(end, "\n")
		s.show(t, t.notice+strings.Join(lines[max(len(lines)-liveLines, 0):], ""))
	}
}

// text returns what is shown of the tail when its run has ended.
func (t *tail) text(stored bool, failed error) string {
	t.trim()
	end := screen.Shown(t.kept)
	switch {
	case t.dropped == 0:
		return end
	case stored:
		return fmt.Sprintf("… %d bytes are in the artifact of this output …\n", t.dropped) + end
	case failed != nil:
		return fmt.Sprintf("… %d bytes could not be stored: %s …\n", t.dropped, valid(failed.Error())) + end
	}
	return fmt.Sprintf("… %d bytes not shown …\n", t.dropped) + end
}

// showTails states the ends of the tails, and what of them is stored.
func (s *shaper) showTails() {
	tails := s.tails
	s.tails = nil
	for _, t := range tails {
		var stored event.Artifact
		var err error
		if t.file != nil && t.dropped+len(t.kept) > t.limit {
			if stored, err = s.keeper.put(t.file); err != nil {
				s.stop(notStored(fmt.Errorf("the text that the run printed: %w", err)))
			}
		}
		s.show(t, t.text(stored.Hash != "", err))
		if stored.Hash != "" && t.output != "" {
			_ = s.emit(&event.OutputStored{
				Output: t.output, Run: s.run, Epoch: s.epoch, Artifacts: map[string]event.Artifact{artifact.Plain: stored},
			})
		}
		t.close()
	}
}

// dropTails forgets the tails: what they show was taken away.
func (s *shaper) dropTails() {
	for _, t := range s.tails {
		t.close()
	}
	s.tails = nil
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // what stays of it is only in the way
	}
}

// utf16Len returns the length of a text in UTF-16 units.
func utf16Len(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
