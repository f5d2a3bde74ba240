package scheme

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
)

// machine executes code. Its stack is its own, so that the depth of recursion is bounded by Config alone, and a
// continuation is a part of it.
type machine struct {
	in     *Interp
	stack  []Value
	frames []frame
	bp     int      // of the procedure that a special primitive leaves to be applied
	seg    *segment // what is below the stack
	dyn    *dynamics
	winds  *wind
	small  []Value // the integers from 0 on that are not allocated again

	shadowed uint64 // a bit for each inlined primitive that a program has redefined somewhere

	fuel      int // steps until the bounds are checked
	steps     int64
	refills   int
	unchecked int             // bytes that were reserved without a look at the heap
	ctx       context.Context // of the run; its end interrupts that
	failed    trace           // of the run, if it has failed
}

// frame says how the caller of a procedure goes on.
type frame struct {
	code *code
	fn   *closure
	pc   int
	bp   int
}

func newMachine(in *Interp) *machine {
	m := &machine{in: in, ctx: context.Background(), stack: make([]Value, 1024), dyn: &dynamics{}, small: make([]Value, 1024)}
	for i := range m.small {
		m.small[i] = int64(i)
	}
	return m
}

// run calls a procedure without arguments and returns its value. The machine is ready for the next run afterwards,
// whatever the error.
func (m *machine) run(start *closure) (Value, error) {
	v, err := m.loop(start)
	m.frames, m.seg = m.frames[:0], nil
	if len(m.stack) > 1<<16 {
		m.stack, m.frames = make([]Value, 1024), nil
	}
	clear(m.stack)
	if err != nil {
		m.dyn, m.winds = &dynamics{}, nil
	}
	return v, err
}

// boxed returns an integer as a value, without an allocation if it is small.
func (m *machine) boxed(n int64) Value {
	if uint64(n) < uint64(len(m.small)) {
		return m.small[n]
	}
	return n
}

// newClosure makes a closure of what is in the slots and the closure of the procedure that makes it.
func newClosure(c *code, slots, free []Value) *closure {
	made := &closure{c, make([]Value, len(c.captures))}
	for i, from := range c.captures {
		if from.local {
			made.free[i] = slots[from.index]
		} else {
			made.free[i] = free[from.index]
		}
	}
	return made
}

func newCases(clauses []Value) *caseProc {
	made := &caseProc{}
	for _, c := range clauses {
		made.clauses = append(made.clauses, c.(*closure))
	}
	return made
}

const (
	stepsBetween = 4096 // checks of the interruption and the number of steps
	heapEvery    = 64   // of those, one looks at the heap

	uncheckedBytes = 4 << 20 // that may be allocated before the heap is looked at
)

// spend counts steps of work that is no call.
func (m *machine) spend(n int) error {
	if m.fuel -= n; m.fuel < 0 {
		return m.refill(0)
	}
	return nil
}

// refill checks the bounds of a run, and lets it go on for some steps.
func (m *machine) refill(frames int) error {
	m.steps += int64(stepsBetween - m.fuel)
	m.fuel = stepsBetween
	switch c := &m.in.config; {
	case m.ctx.Err() != nil:
		return &limit{kindInterrupted, "the run was interrupted"}
	case c.MaxSteps > 0 && m.steps > c.MaxSteps:
		return &limit{kindSteps, fmt.Sprintf("the run has made its %d steps", c.MaxSteps)}
	case 2*frames > c.MaxStack:
		return tooDeep()
	}
	runtime.Gosched()                    // where there is one thread, as in a browser, what interrupts the run has its turn
	if err := m.in.flush(); err != nil { // what a long computation has printed is seen
		return err
	}
	if m.refills++; m.refills%heapEvery == 0 {
		return m.reserve(0)
	}
	return nil
}

// reserve checks that an object of a number of bytes fits into the heap. Objects that are no longer reachable may fill a
// quarter of the bound besides, so that a program near to it is not collected all the time.
func (m *machine) reserve(bytes int) error {
	bound := m.in.config.MaxHeap
	if bound <= 0 || heap()+int64(bytes) < bound+bound/4 {
		return nil
	}
	runtime.GC()
	if heap()+int64(bytes) < bound {
		return nil
	}
	return &limit{kindMemory, fmt.Sprintf("the program needs more than its %d MiB of memory", bound>>20)}
}

// reserveItems checks that an object of a number of items fits: at once if it is a large one, else when many of them
// have come.
func (m *machine) reserveItems(n, size int) error {
	if n > 1<<40 {
		return &limit{kindMemory, "the program asks for more memory than there is"}
	}
	if m.unchecked += n * size; m.unchecked < uncheckedBytes {
		return nil
	}
	m.unchecked = 0
	return m.reserve(n * size)
}

// heap returns the bytes of objects in the heap of the process.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

func tooDeep() error {
	return &limit{kindTooDeep, "the recursion is too deep; a call in tail position takes no space"}
}

// grow returns a stack with room for a number of values, of which used are in use.
func (m *machine) grow(stack []Value, used, need, frames int) ([]Value, error) {
	if need <= len(stack) {
		return stack, nil
	}
	if need+2*frames > m.in.config.MaxStack {
		return stack, tooDeep()
	}
	size := max(need, 2*len(stack))
	if err := m.reserveItems(size, 16); err != nil {
		return stack, err
	}
	larger := make([]Value, size)
	copy(larger, stack[:used])
	m.stack = larger
	return larger, nil
}
