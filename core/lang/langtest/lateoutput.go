package langtest

import (
	"slices"
	"time"
)

func (s suite) late() []rule {
	programs := s.programs
	return []rule{
		{"delivers what a run has started when the run has ended", programs.Late, s.deliversLate("")},
		{"delivers what a run has started to no later run", programs.LateBeside, s.deliversLate(programs.Hello, "stdout: hello\n")},
		{"delivers what an earlier run has started beside a run", programs.LateBeside, s.deliversLate(programs.LateBeside, "stdout: waits\nwent on\n")},
		{"delivers what a program says as it is closed", programs.AtClose, s.saysAtClose},
	}
}

// deliversLate executes a run whose background work prints after its end, and then a source if there is one.
func (s suite) deliversLate(then string, want ...string) func(TB) {
	return func(t TB) {
		engine := s.used(t)
		sink, result := run(t, engine, s.programs.Late)
		if result.Err != nil {
			t.Fatalf("got the error %v, want none", result.Err)
		}
		if then != "" {
			expect(t, engine, then, want...)
		}
		for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
			if got := sink.Lines(); slices.Equal(got, []string{"stdout: in time\nlate\n"}) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("got %q, want what is late behind what was in time", got)
			}
		}
	}
}

func (s suite) saysAtClose(t TB) {
	engine := s.load(t)
	sink, _ := run(t, engine, s.programs.AtClose)
	same(t, sink, "stdout: in time\n")
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
	check(t, engine.Close())
	same(t, sink, "stdout: in time\nlate\n")
}
