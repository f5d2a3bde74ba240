package scheme

// continuation is what call/cc gives: the stack at that time, and the dynamic state.
type continuation struct {
	seg   *segment
	dyn   *dynamics
	winds *wind
}

// segment is a part of the stack that a continuation has, and that does not change any more. What is above it is on the
// stack of the machine, or in another segment. A return into it takes one frame back to the stack at a time.
type segment struct {
	stack  []Value
	frames []frame // with places in stack; not empty
	parent *segment
	size   int // of this and all below it
}

// dynamics are the exception handlers and the values of parameters, which hold for the extent of a call.
type dynamics struct {
	handlers Value // a list, the innermost first; nil for none
	params   *paramValue
}

type paramValue struct {
	p    *parameter
	v    Value
	next *paramValue
}

func (d *dynamics) value(p *parameter) Value {
	for b := d.params; b != nil; b = b.next {
		if b.p == p {
			return b.v
		}
	}
	return p.value
}

// wind is an extent of dynamic-wind that has been entered.
type wind struct {
	before, after Value
	dyn           *dynamics
	parent        *wind
	depth         int
}

func depthOf(w *wind) int {
	if w == nil {
		return 0
	}
	return w.depth
}

// machineCode returns a procedure of one instruction, to which a special primitive has what it calls return.
func machineCode(o op) *code { return &code{ins: []instruction{{op: o}}, depth: 4} }

// pushFrame has the next call return to an instruction of the machine, with a number of values kept from bp on.
func (m *machine) pushFrame(c *code, bp, kept int) {
	m.frames = append(m.frames, frame{code: c, bp: bp})
	m.bp = bp + kept
}

// callCC is %call/cc: it makes the whole stack a segment, and calls its argument with the continuation.
func (m *machine) callCC(bp, _ int) (Value, int, Value, error) {
	f := m.stack[bp]
	if len(m.frames) > 0 {
		seg := &segment{append([]Value(nil), m.stack[:bp]...), append([]frame(nil), m.frames...), m.seg, bp + 2*len(m.frames)}
		if m.seg != nil {
			seg.size += m.seg.size
		}
		if seg.size > m.in.config.MaxStack {
			return nil, 0, nil, tooDeep()
		}
		m.seg, m.frames = seg, m.frames[:0]
	}
	m.stack[0] = &continuation{m.seg, m.dyn, m.winds}
	m.bp = 0
	return f, 1, nil, nil
}

// reinstate takes the innermost frame of the segment back to the empty stack. It leaves the height of the stack in bp.
func (m *machine) reinstate(stack []Value, frames []frame) ([]Value, []frame, error) {
	s := m.seg
	last := s.frames[len(s.frames)-1]
	part := s.stack[last.bp:]
	stack, err := m.grow(stack, 0, len(part)+last.code.depth+8, 0)
	if err != nil {
		return stack, frames, err
	}
	copy(stack, part)
	m.bp = len(part)
	if len(s.frames) == 1 {
		m.seg = s.parent
	} else {
		m.seg = &segment{s.stack[:last.bp], s.frames[:len(s.frames)-1], s.parent, s.size - len(part) - 2}
	}
	last.bp = 0
	return stack, append(frames, last), nil
}

// enter applies a continuation to n arguments from bp on. Extents of dynamic-wind are left and entered first.
func (m *machine) enter(k *continuation, bp, n int) (Value, int, Value) {
	v := asOne(m.stack[bp : bp+n])
	if m.winds == k.winds {
		return m.throw(k, v)
	}
	m.stack[bp], m.stack[bp+1] = k, v
	return m.in.rewind, 2, nil
}

func (m *machine) throw(k *continuation, v Value) (Value, int, Value) {
	m.seg, m.dyn, m.winds = k.seg, k.dyn, k.winds
	m.frames, m.bp = m.frames[:0], 0
	return nil, 0, v
}

// asOne returns any number of values as one.
func asOne(values []Value) Value {
	if len(values) == 1 {
		return values[0]
	}
	return &multi{append([]Value(nil), values...)}
}

// rewindStep is %rewind: it calls the next thunk on the way to the extents of a continuation, or enters that.
func (m *machine) rewindStep(bp, _ int) (Value, int, Value, error) {
	k, v := m.stack[bp].(*continuation), m.stack[bp+1]
	if m.winds == k.winds {
		f, n, v := m.throw(k, v)
		return f, n, v, nil
	}
	here, there := m.winds, k.winds
	var enter *wind // the outermost extent to enter
	for here != there {
		if depthOf(there) > depthOf(here) {
			enter, there = there, there.parent
			continue
		}
		if depthOf(there) == depthOf(here) {
			enter, there = there, there.parent
		}
		here = here.parent
	}
	if m.winds != here {
		w := m.winds
		m.winds, m.dyn = w.parent, w.dyn
		m.stack[bp+2] = false
		m.pushFrame(m.in.goOnRewinding, bp, 3)
		return w.after, 0, nil, nil
	}
	m.dyn = enter.dyn
	m.stack[bp+2] = enter
	m.pushFrame(m.in.goOnRewinding, bp, 3)
	return enter.before, 0, nil, nil
}

func pushWind(m *machine, a []Value) (Value, error) {
	m.winds = &wind{a[0], a[1], m.dyn, m.winds, depthOf(m.winds) + 1}
	return unspecified{}, nil
}

// popWind leaves an extent, and returns what is to be called after it.
func popWind(m *machine, _ []Value) (Value, error) {
	if m.winds == nil {
		return false, nil
	}
	after := m.winds.after
	m.winds = m.winds.parent
	return after, nil
}

// withHandlers is (%with-handlers HANDLERS THUNK).
func (m *machine) withHandlers(bp, _ int) (Value, int, Value, error) {
	return m.within(&dynamics{m.stack[bp], m.dyn.params}, bp)
}

// within calls the thunk after bp in other dynamics, and returns to those that are now.
func (m *machine) within(d *dynamics, bp int) (Value, int, Value, error) {
	f := m.stack[bp+1]
	m.stack[bp] = m.dyn
	m.dyn = d
	m.pushFrame(m.in.restoreDynamics, bp, 1)
	return f, 0, nil, nil
}

// withParameters is (%with-parameters PARAMETERS THUNK VALUES).
func (m *machine) withParameters(bp, _ int) (Value, int, Value, error) {
	params, _ := items(m.stack[bp])
	values, _ := items(m.stack[bp+2])
	d := &dynamics{m.dyn.handlers, m.dyn.params}
	for i, p := range params {
		d.params = &paramValue{p.(*parameter), values[i], d.params}
	}
	return m.within(d, bp)
}

func currentHandlers(m *machine, _ []Value) (Value, error) {
	if m.dyn.handlers == nil {
		return empty{}, nil
	}
	return m.dyn.handlers, nil
}

// callWithValues calls the producer, and has it return to the call of the consumer.
func (m *machine) callWithValues(bp, _ int) (Value, int, Value, error) {
	f := m.stack[bp]
	m.stack[bp] = m.stack[bp+1]
	m.pushFrame(m.in.receive, bp, 1)
	return f, 0, nil, nil
}

// spread puts values on the stack from bp on.
func (m *machine) spread(stack []Value, bp int, v Value) ([]Value, int, error) {
	several, ok := v.(*multi)
	if !ok {
		stack[bp] = v
		return stack, 1, nil
	}
	stack, err := m.grow(stack, bp, bp+len(several.values)+8, 0)
	if err == nil {
		copy(stack[bp:], several.values)
	}
	return stack, len(several.values), err
}

// applyList is the procedure apply.
func (m *machine) applyList(bp, n int) (Value, int, Value, error) {
	f := m.stack[bp]
	last := m.stack[bp+n-1]
	length, ok := listLength(last)
	if !ok {
		return nil, 0, nil, wrongType("apply", n-1, "a list", last)
	}
	copy(m.stack[bp:], m.stack[bp+1:bp+n-1])
	stack, err := m.grow(m.stack, bp+n, bp+n+length+8, len(m.frames))
	if err != nil {
		return nil, 0, nil, err
	}
	m.stack = stack
	at := bp + n - 2
	for p, ok := last.(*pair); ok; p, ok = p.cdr.(*pair) {
		m.stack[at] = p.car
		at++
	}
	m.bp = bp
	return f, at - bp, nil, nil
}

// evaluate is the procedure eval: it calls what it has compiled.
func (m *machine) evaluate(bp, n int) (Value, int, Value, error) {
	env := m.in.user
	if n == 2 {
		e, ok := m.stack[bp+1].(*environment)
		if !ok {
			return nil, 0, nil, wrongType("eval", 1, "an environment", m.stack[bp+1])
		}
		env = e
	}
	c, err := m.in.compile(part{m.stack[bp], pos{}}, nil, nil, env)
	if err != nil {
		return nil, 0, nil, err
	}
	m.bp = bp
	return &closure{code: c}, 0, nil, nil
}
