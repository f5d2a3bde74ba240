//go:build faults

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tempoOf returns the tempo that the test of faults asks for: QUIRE_TEMPO has fields
// such as lease=3s, front=URL, and clock=FILE, a file that says, in milliseconds, by how
// much the server's clock is wrong. It panics on what only that test could have got wrong.
func tempoOf(environ []string) (t tempo) {
	spans := map[string]*time.Duration{"ping": &t.ping, "lease": &t.lease, "start": &t.start, "idle": &t.idle}
	for _, entry := range environ {
		all, ok := strings.CutPrefix(entry, "QUIRE_TEMPO=")
		for field := range strings.SplitSeq(all, ",") {
			name, value, _ := strings.Cut(field, "=")
			switch {
			case !ok:
			case name == "front":
				t.front = value
			case name == "clock":
				t.now = wrongClock(value)
			case spans[name] == nil:
				panic(fmt.Sprintf("QUIRE_TEMPO has an unknown field %q", field))
			default:
				span, err := time.ParseDuration(value)
				if err != nil {
					panic(fmt.Sprintf("QUIRE_TEMPO: %v", err))
				}
				*spans[name] = span
			}
		}
	}
	return t
}

// wrongClock returns a clock that is wrong by what a file says each time. As with a
// clock that is set, nothing but the wall's time can be had from it.
func wrongClock(file string) func() time.Time {
	return func() time.Time {
		data, err := os.ReadFile(file)
		if err != nil {
			return time.Now().Round(0)
		}
		by, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err != nil {
			panic(fmt.Sprintf("the clock's file %s: %v", file, err))
		}
		return time.Now().Round(0).Add(time.Duration(by) * time.Millisecond)
	}
}
