package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// record is one line of `go test -json`.
type record struct {
	Action     string
	Package    string
	ImportPath string // of a build, which has no Package
	Test       string
	Output     string
	Elapsed    float64
}

// summary counts tests, each subtest by itself.
type summary struct {
	passed, failed, skipped int

	out     io.Writer
	output  map[string]*strings.Builder // of each test and package that has not ended
	failing map[string]bool             // the packages in which a test failed
}

// String is the line of totals.
func (s *summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", s.passed, s.failed, s.skipped)
}

// read takes records until in ends. What is not a record, as from a tool that does not know JSON, is passed on as it is.
func read(in io.Reader, out io.Writer) (*summary, error) {
	s := &summary{out: out, output: map[string]*strings.Builder{}, failing: map[string]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var r record
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &r) == nil && r.Action != "":
			s.take(r)
		default:
			s.print(string(line))
		}
		if errors.Is(err, io.EOF) {
			s.flush()
			return s, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read test output: %w", err)
		}
	}
}

func (s *summary) take(r record) {
	key := r.Package + " " + r.Test
	switch r.Action {
	case "output":
		if s.output[key] == nil {
			s.output[key] = &strings.Builder{}
		}
		s.output[key].WriteString(r.Output)
	case "build-output":
		s.print(r.Output)
	case "pass", "fail", "skip":
		if r.Test == "" {
			s.endPackage(r, key)
		} else {
			s.endTest(r, key)
		}
		delete(s.output, key)
	}
}

// endTest counts a test, and shows what it printed if it failed.
func (s *summary) endTest(r record, key string) {
	switch r.Action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
	case "fail":
		s.failed++
		s.failing[r.Package] = true
		s.print(s.text(key))
	}
}

// endPackage shows a package's line. One that failed although no test of it did, because it does not build or a goroutine
// panicked, counts as one failure.
func (s *summary) endPackage(r record, key string) {
	switch r.Action {
	case "pass":
		s.print(fmt.Sprintf("ok    %s  %.1fs\n", r.Package, r.Elapsed))
	case "fail":
		s.endUnended(r.Package)
		if !s.failing[r.Package] {
			s.failed++
		}
		s.print(s.text(key))
		s.print(fmt.Sprintf("FAIL  %s  %.1fs\n", r.Package, r.Elapsed))
	}
	delete(s.failing, r.Package)
}

// endUnended shows what the tests of a package printed that never ended, such as the goroutines of one that took too long, and
// counts them as failed. It must be said now: the package may be tested once more.
func (s *summary) endUnended(pkg string) {
	for _, key := range slices.Sorted(maps.Keys(s.output)) {
		if of, test, _ := strings.Cut(key, " "); of == pkg && test != "" {
			s.endTest(record{Action: "fail", Package: pkg}, key)
			delete(s.output, key)
		}
	}
}

// flush shows what belongs to packages that never ended, and counts their tests as failed.
func (s *summary) flush() {
	for _, key := range slices.Sorted(maps.Keys(s.output)) {
		if pkg, test, _ := strings.Cut(key, " "); pkg != "" && test != "" {
			s.failed++
		}
		s.print(s.text(key))
	}
}

func (s *summary) text(key string) string {
	if s.output[key] == nil {
		return ""
	}
	return s.output[key].String()
}

// print writes to a terminal or a log; if that is gone there is nobody left to tell.
func (s *summary) print(text string) { _, _ = io.WriteString(s.out, text) }
