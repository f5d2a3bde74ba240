package scheme

import "math"

// function is a procedure whose code is being generated.
type function struct {
	parent  *function
	code    *code
	free    []*variable
	depth   int // values on the stack
	at      pos
	consts  map[Value]int
	globals map[*global]int
}

// label is the beginning of a loop.
type label struct {
	target int
	slot   int
}

// use says what happens to the value of an expression.
type use int

const (
	push   use = iota // onto the stack
	drop              // it is not needed
	result            // it is the value of the procedure
)

// generate returns the code of a program form as a procedure without parameters. Its calls are not in tail position, so
// that an error within them has a place in the source.
func generate(n node, src *source) *code {
	f := begin(nil, &lambda{}, src)
	f.compile(n, push)
	f.emit(opReturn, 0, 0, 0)
	return f.code
}

func newFunction(parent *function, l *lambda, src *source) *function {
	f := begin(parent, l, src)
	f.compile(l.body, result)
	return f
}

// begin returns a procedure without the code of its body.
func begin(parent *function, l *lambda, src *source) *function {
	f := &function{parent: parent, code: &code{name: l.name, doc: l.doc, params: len(l.params), rest: l.rest, src: src}, consts: map[Value]int{}, globals: map[*global]int{}}
	if l.rest {
		f.code.params--
	}
	f.at = l.at
	for i, v := range l.params {
		f.define(v, i)
		f.code.names = append(f.code.names, v.name)
	}
	f.push(len(l.params))
	f.boxAll(l.params)
	return f
}

func (f *function) emit(o op, a, b, c int) int {
	f.code.ins = append(f.code.ins, instruction{o, int32(a), int32(b), int32(c)})
	f.code.at = append(f.code.at, f.at)
	return len(f.code.ins) - 1
}

func (f *function) push(n int) {
	f.depth += n
	f.code.depth = max(f.code.depth, f.depth)
}

func (f *function) here() int { return len(f.code.ins) }

// patch makes a jump lead to the next instruction.
func (f *function) patch(jump int) { f.code.ins[jump].a = int32(f.here()) }

func (f *function) constant(v Value) int {
	switch v.(type) {
	case int64, char, bool, empty, *symbol, unspecified, *prim, *closure:
		if i, ok := f.consts[v]; ok {
			return i
		}
		f.consts[v] = len(f.code.consts)
	}
	f.code.consts = append(f.code.consts, v)
	return len(f.code.consts) - 1
}

func (f *function) global(g *global) int {
	i, ok := f.globals[g]
	if !ok {
		i = len(f.code.globals)
		f.globals[g] = i
		f.code.globals = append(f.code.globals, g)
	}
	return i
}

// define puts a variable into a slot.
func (f *function) define(v *variable, slot int) {
	v.fn, v.slot = f, slot
	v.boxed = v.boxed || v.assigned
}

func (f *function) boxAll(vars []*variable) {
	for _, v := range vars {
		if v.boxed {
			f.emit(opMakeBox, v.slot, 0, 0)
		}
	}
}

// freeIndex returns the index of a variable of an outer procedure in the closure.
func (f *function) freeIndex(v *variable) int {
	for i, known := range f.free {
		if known == v {
			return i
		}
	}
	f.free = append(f.free, v)
	return len(f.free) - 1
}

// compile generates code that leaves the value of a node as its use says.
func (f *function) compile(n node, u use) {
	switch n := n.(type) {
	case *constant:
		f.simple(u, func() { f.emit(opConst, f.constant(n.v), 0, 0) })
	case *localRef:
		f.setAt(n.at)
		f.simple(u, func() { f.local(n.v) })
	case *globalRef:
		f.setAt(n.at)
		f.emit(opGlobal, f.global(n.g), 0, 0)
		f.push(1)
		f.finish(u)
	case *setLocal:
		f.compile(n.x, push)
		f.setAt(n.at)
		f.assign(n.v)
		f.finish(u)
	case *setGlobal:
		f.compile(n.x, push)
		f.setAt(n.at)
		f.emit(opSetGlobal, f.global(n.g), 0, 0)
		f.finish(u)
	case *defineGlobal:
		f.compile(n.x, push)
		f.emit(opDefine, f.global(n.g), 0, 0)
		f.finish(u)
	case *conditional:
		f.conditional(n, u)
	case *disjunction:
		f.disjunction(n, u)
	case *sequence:
		for _, p := range n.parts[:len(n.parts)-1] {
			f.compile(p, drop)
		}
		f.compile(n.parts[len(n.parts)-1], u)
	case *lambda:
		f.setAt(n.at)
		f.simple(u, func() { f.closure(n) })
	case *caseLambda:
		for _, c := range n.clauses {
			f.closure(c)
			f.push(1)
		}
		f.emit(opCases, len(n.clauses), 0, 0)
		f.depth -= len(n.clauses) - 1
		f.finish(u)
	case *call:
		f.call(n, u)
	case *let:
		f.let(n, u)
	case *letrec:
		if l := asLoop(n); l != nil {
			f.loop(l, u)
			return
		}
		f.letrec(n, u)
	}
}

func (f *function) setAt(at pos) {
	if at.line > 0 {
		f.at = at
	}
}

// simple emits what has no effect, unless its value is not needed.
func (f *function) simple(u use, emit func()) {
	if u == drop {
		return
	}
	emit()
	f.push(1)
	f.finish(u)
}

// finish uses the value on top of the stack.
func (f *function) finish(u use) {
	switch u {
	case drop:
		f.emit(opPop, 1, 0, 0)
		f.depth--
	case result:
		f.emit(opReturn, 0, 0, 0)
	}
}

func (f *function) local(v *variable) {
	switch {
	case v.fn == f && v.boxed:
		f.emit(opLocalBox, v.slot, f.constant(newStr(v.name)), 0)
	case v.fn == f:
		f.emit(opLocal, v.slot, 0, 0)
	case v.boxed:
		f.emit(opFreeBox, f.freeIndex(v), f.constant(newStr(v.name)), 0)
	default:
		f.emit(opFree, f.freeIndex(v), 0, 0)
	}
}

func (f *function) assign(v *variable) {
	if v.fn == f {
		f.emit(opSetLocal, v.slot, 0, 0)
	} else {
		f.emit(opSetFree, f.freeIndex(v), 0, 0)
	}
}

func (f *function) conditional(n *conditional, u use) {
	f.compile(n.test, push)
	toElse := f.emit(opJumpFalse, 0, 0, 0)
	f.depth--
	depth := f.depth
	f.compile(n.then, u)
	if u == result {
		f.depth = depth
		f.patch(toElse)
		f.compile(n.otherwise, u)
		return
	}
	toEnd := f.emit(opJump, 0, 0, 0)
	f.depth = depth
	f.patch(toElse)
	f.compile(n.otherwise, u)
	f.patch(toEnd)
}

func (f *function) disjunction(n *disjunction, u use) {
	var toEnd []int
	last := len(n.parts) - 1
	for _, p := range n.parts[:last] {
		f.compile(p, push)
		toEnd = append(toEnd, f.emit(opJumpOr, 0, 0, 0))
		f.depth--
	}
	depth := f.depth
	if u == result { // the last part is in tail position, the others return here
		f.compile(n.parts[last], result)
		f.depth = depth + 1
		for _, j := range toEnd {
			f.patch(j)
		}
		f.emit(opReturn, 0, 0, 0)
		return
	}
	f.compile(n.parts[last], push)
	for _, j := range toEnd {
		f.patch(j)
	}
	f.finish(u)
}

// closure emits the making of a closure, without counting it on the stack.
func (f *function) closure(l *lambda) *function {
	inner := newFunction(f, l, f.code.src)
	for _, v := range inner.free {
		if v.fn == f {
			inner.code.captures = append(inner.code.captures, capture{true, v.slot})
		} else {
			inner.code.captures = append(inner.code.captures, capture{false, f.freeIndex(v)})
		}
	}
	if len(inner.free) == 0 {
		f.emit(opConst, f.constant(&closure{code: inner.code}), 0, 0)
	} else {
		f.emit(opClosure, f.constant(inner.code), 0, 0)
	}
	return inner
}

func (f *function) call(n *call, u use) {
	if v, ok := n.f.(*localRef); ok && v.v.jump != nil {
		f.jump(n, v.v, u)
		return
	}
	if f.inline(n, u) {
		return
	}
	for _, a := range n.args {
		f.compile(a, push)
	}
	count := len(n.args)
	plain, global := opCall, -1
	if g, ok := n.f.(*globalRef); ok {
		plain, global = opCallGlobal, f.global(g.g)
	} else {
		f.compile(n.f, push)
		f.depth--
	}
	f.setAt(n.at)
	if u == result && !f.keepsFrame(n.f) {
		f.emit(plain+1, count, global, 0)
		f.depth += 1 - count
		return
	}
	f.emit(plain, count, global, 0)
	f.depth -= count
	f.push(1)
	f.finish(u)
}

// keepsFrame reports whether a call in tail position is made like any other: one of a procedure that is part of the
// interpreter, but written in Scheme, so that errors in it have a place in the program. None of them is a loop of a
// program but force.
func (f *function) keepsFrame(n node) bool {
	g, ok := n.(*globalRef)
	if !ok || f.code.src == nil {
		return false
	}
	c, ok := g.g.v.(*closure)
	return ok && c.code.src == nil && c.code.name != "force"
}

// jump emits a call of a loop from its body, which is in tail position there.
func (f *function) jump(n *call, v *variable, u use) {
	before := f.depth
	for _, a := range n.args {
		f.compile(a, push)
	}
	f.setAt(n.at)
	f.emit(opLoop, v.jump.target, v.jump.slot, len(n.args))
	f.depth = before
	if u != drop {
		f.push(1)
	}
}

func (f *function) let(n *let, u use) {
	base := f.depth
	for _, v := range n.inits {
		f.compile(v, push)
	}
	for i, v := range n.vars {
		f.define(v, base+i)
	}
	f.boxAll(n.vars)
	f.compile(n.body, u)
	f.leave(len(n.vars), u)
}

// leave drops the variables of a form after its value was computed.
func (f *function) leave(n int, u use) {
	if n == 0 {
		return
	}
	switch u {
	case push:
		f.emit(opSlide, n, 0, 0)
	case drop:
		f.emit(opPop, n, 0, 0)
	}
	f.depth -= n
}

func (f *function) loop(l *loop, u use) {
	base := f.depth
	for _, v := range l.inits {
		f.compile(v, push)
	}
	for i, v := range l.vars {
		f.define(v, base+i)
	}
	l.id.jump = &label{target: f.here(), slot: base}
	f.boxAll(l.vars)
	f.compile(l.body, u)
	f.leave(len(l.vars), u)
}

// letrec generates variables that are bound one after another. Procedures next to each other may refer to one another:
// their closures are made first, and completed when all of them are there. Any other variable that may be referred to
// before it has a value is in a box from the beginning.
func (f *function) letrec(n *letrec, u use) {
	slots := 0
	for i := 0; i < len(n.items); i++ {
		if group := groupOf(n.items[i:]); group > 0 {
			i += group - 1
		} else if it := n.items[i]; it.v != nil && (it.init == nil || it.v.early()) {
			it.v.boxed, it.v.checked = true, true
			f.define(it.v, f.depth)
			f.emit(opNewBox, 0, 0, 0)
			f.push(1)
			slots++
		}
	}
	for i := 0; i < len(n.items); {
		if group := groupOf(n.items[i:]); group > 0 {
			f.procedures(n.items[i : i+group])
			slots += group
			i += group
			continue
		}
		slots += f.item(n.items[i])
		i++
	}
	f.compile(n.body, u)
	f.leave(slots, u)
}

// groupOf returns the number of procedures at the beginning of the items that need no boxes.
func groupOf(items []item) int {
	n := 0
	for n < len(items) && items[n].v != nil {
		v := items[n].v
		_, procedure := items[n].init.(*lambda)
		if !procedure || v.assigned || v.firstRef >= 0 && v.firstRef < items[0].v.index {
			break
		}
		n++
	}
	return n
}

func (f *function) procedures(group []item) {
	base := f.depth
	for i, it := range group {
		f.define(it.v, base+i)
	}
	f.push(len(group))
	f.depth = base
	var made []*function
	for _, it := range group {
		made = append(made, f.closure(it.init.(*lambda)))
		f.push(1)
	}
	for i, fn := range made {
		for k, v := range fn.free {
			if v.fn == f && v.slot >= base+i {
				f.emit(opPatch, base+i, k, v.slot)
			}
		}
	}
}

// item generates a variable that is no procedure of a group, or an expression, and returns the slots that it takes.
func (f *function) item(it item) int {
	switch {
	case it.v == nil:
		f.compile(it.init, drop)
		return 0
	case it.init == nil:
		return 0
	case it.v.checked:
		f.compile(it.init, push)
		f.emit(opInitBox, it.v.slot, 0, 0)
		f.depth--
		return 0
	}
	f.compile(it.init, push)
	f.define(it.v, f.depth-1)
	f.boxAll([]*variable{it.v})
	return 1
}

func smallConstant(n node) (int, bool) {
	c, ok := n.(*constant)
	if !ok {
		return 0, false
	}
	v, ok := c.v.(int64)
	return int(v), ok && v >= math.MinInt32 && v <= math.MaxInt32
}
