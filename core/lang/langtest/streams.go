package langtest

import (
	"errors"
	"runtime"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
)

func (s suite) keepsCharacters(t TB) {
	sink := &Recorder{OnStream: func(_, text string) {
		if !utf8.ValidString(text) {
			t.Errorf("got %q, want valid UTF-8", text)
		}
	}}
	engine := s.used(t)
	for range 5 {
		if _, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.SplitUTF8}, sink); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := sink.Text(lang.Stdout), "é🐎é🐎é🐎é🐎é🐎"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func (s suite) replacesBytes(t TB) {
	expect(t, s.used(t), s.programs.BadUTF8, "stdout: a\uFFFDb")
}

// heapLimit is the allowed growth of the heap under a flood. It is far below the flood and far above the need of a
// bounded reader between two collections.
const heapLimit = 24 << 20

func (s suite) holdsBack(t TB) {
	engine := s.load(t)
	flood := &slowSink{}
	runtime.GC()
	flood.measure()
	before := flood.highest
	result, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Flood}, flood)
	if err = errors.Join(err, failure(result)); err != nil {
		t.Fatal(err)
	}
	if flood.size != s.programs.FloodSize {
		t.Errorf("got %d bytes, want %d", flood.size, s.programs.FloodSize)
	}
	if grown := int64(flood.highest) - int64(before); grown > heapLimit {
		t.Errorf("the heap grew by %d MiB under a flood of %d MiB", grown>>20, s.programs.FloodSize>>20)
	}
}

func failure(result lang.Result) error {
	if result.Err == nil {
		return nil
	}
	return result.Err
}

// slowSink counts its input and is slow because it stops the world to measure the heap for every text.
type slowSink struct {
	Recorder
	size    int
	highest uint64
}

// Stream implements lang.Sink.
func (s *slowSink) Stream(_, text string) {
	s.size += len(text)
	s.measure()
}

func (s *slowSink) measure() {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	s.highest = max(s.highest, stats.HeapAlloc)
}
