//go:build faults

package faulttiming

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Of returns the timing that the test of faults asks for: QUIRE_TIMING has fields
// such as lease=3s, front=URL, clock=FILE, a file that says, in milliseconds, by how
// much the server's clock is wrong, and age=FILE, one that says by how much all clocks of
// all processes are ahead: time that has passed for them and not for the test. It panics on
// what only that test could have got wrong.
func Of(environ []string) (t Timing) {
	spans := map[string]*time.Duration{"ping": &t.ping, "lease": &t.lease, "start": &t.start, "idle": &t.idle}
	var wrong func() time.Duration
	for _, entry := range environ {
		all, ok := strings.CutPrefix(entry, "QUIRE_TIMING=")
		for field := range strings.SplitSeq(all, ",") {
			name, value, _ := strings.Cut(field, "=")
			switch {
			case !ok:
			case name == "front":
				t.front = value
			case name == "clock":
				wrong = readSpan(value)
			case name == "age":
				t.age = readSpan(value)
			case spans[name] == nil:
				panic(fmt.Sprintf("QUIRE_TIMING has an unknown field %q", field))
			default:
				span, err := time.ParseDuration(value)
				if err != nil {
					panic(fmt.Sprintf("QUIRE_TIMING: %v", err))
				}
				*spans[name] = span
			}
		}
	}
	if wrong != nil {
		// As with a clock that is set, nothing but the wall's time can be had from it.
		t.now = func() time.Time { return t.Elapsed().Round(0).Add(wrong()) }
	}
	return t
}

// readSpan returns a function that reads a time in milliseconds from a file; 0 while there is none.
func readSpan(file string) func() time.Duration {
	return func() time.Duration {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0
		}
		by, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err != nil {
			panic(fmt.Sprintf("the file %s: %v", file, err))
		}
		return time.Duration(by) * time.Millisecond
	}
}
