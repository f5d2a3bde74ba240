package scheme

// op is the operation of an instruction. S, L and C at the end of a name say where the operands are: on the stack, in a
// local variable, or in the instruction.
type op uint8

const (
	opNone op = iota

	// Primitives that have instructions. What a program defines under one of their names is called instead.
	opAdd
	opSub
	opMul
	opNumEq
	opLess
	opGreater
	opLessEq
	opGreaterEq
	opCar
	opCdr
	opCadr
	opCddr
	opCons
	opIsNull
	opIsPair
	opIsEq
	opNot
	opIsZero
	opVectorRef
	opVectorSet
	opStringRef
	lastInline // of those above

	opAddLC
	opSubLC
	opAddSC
	opSubSC
	opNumEqLC
	opLessLC
	opGreaterLC
	opLessEqLC
	opGreaterEqLC
	opNumEqLL
	opLessLL
	opGreaterLL
	opLessEqLL
	opGreaterEqLL
	opCarL
	opCdrL
	opIsNullL
	opIsPairL

	opConst     // a: constant
	opLocal     // a: slot
	opFree      // a: index
	opLocalBox  // a: slot
	opFreeBox   // a: index
	opGlobal    // a: global
	opSetLocal  // a: slot of a box; leaves an unspecified value
	opSetFree   // a: index of a box
	opSetGlobal // a: global
	opDefine    // a: global
	opInitBox   // a: slot of a box; leaves nothing
	opNewBox    // pushes a box without a value
	opMakeBox   // a: slot, whose value goes into a box
	opPop       // a: count
	opSlide     // a: count of values to drop below the top
	opJump      // a: target
	opJumpFalse // a: target; drops the value
	opJumpOr    // a: target; keeps a true value, drops a false one
	opLoop      // a: target, b: slot, c: count: moves the values to the slots and jumps
	opClosure   // a: constant, the code
	opCases     // a: count of closures
	opPatch     // a: slot of a closure, b: its index, c: slot of the value
	opCall      // a: count of arguments, below the procedure
	opTailCall
	opCallGlobal // a: count of arguments, b: global
	opTailCallGlobal
	opReturn

	opRestoreDynamics // of the machine: after the extent of handlers and parameters
	opReceive         // after the producer of call-with-values
	opGoOnRewinding   // after a thunk of dynamic-wind
)

// instruction has an operation and up to three operands.
type instruction struct {
	op      op
	a, b, c int32
}

// code is the compiled form of one procedure.
type code struct {
	name     string
	doc      string   // the string at the beginning of its body
	params   int      // without the rest
	names    []string // of the parameters
	rest     bool
	depth    int // the most values that it has on the stack, parameters included
	ins      []instruction
	at       []pos // of each instruction
	consts   []Value
	globals  []*global
	captures []capture
	src      *source // nil for procedures of the interpreter itself
}

// capture says where a closure takes the value of a free variable from, when it is made.
type capture struct {
	local bool // a slot, or else an index of the closure that makes it
	index int
}

// closure is a procedure: code and the values of its free variables.
type closure struct {
	code *code
	free []Value
}

// caseProc is a procedure of several clauses, of which the first that takes the number of arguments is called.
type caseProc struct{ clauses []*closure }

func (c *code) accepts(n int) bool { return n == c.params || c.rest && n > c.params }

// position returns where the instruction before pc stands in the source.
func (c *code) position(pc int) pos {
	if pc <= 0 || pc > len(c.at) {
		return pos{}
	}
	return c.at[pc-1]
}

// inlined are the primitives that have instructions, with their number of arguments and the variants whose operands
// need not be pushed.
var inlined = [lastInline]struct {
	name       string
	args       int
	lc, ll, sc op
	l          op
}{
	opAdd:       {name: "+", args: 2, lc: opAddLC, sc: opAddSC},
	opSub:       {name: "-", args: 2, lc: opSubLC, sc: opSubSC},
	opMul:       {name: "*", args: 2},
	opNumEq:     {name: "=", args: 2, lc: opNumEqLC, ll: opNumEqLL},
	opLess:      {name: "<", args: 2, lc: opLessLC, ll: opLessLL},
	opGreater:   {name: ">", args: 2, lc: opGreaterLC, ll: opGreaterLL},
	opLessEq:    {name: "<=", args: 2, lc: opLessEqLC, ll: opLessEqLL},
	opGreaterEq: {name: ">=", args: 2, lc: opGreaterEqLC, ll: opGreaterEqLL},
	opCar:       {name: "car", args: 1, l: opCarL},
	opCdr:       {name: "cdr", args: 1, l: opCdrL},
	opCadr:      {name: "cadr", args: 1},
	opCddr:      {name: "cddr", args: 1},
	opCons:      {name: "cons", args: 2},
	opIsNull:    {name: "null?", args: 1, l: opIsNullL},
	opIsPair:    {name: "pair?", args: 1, l: opIsPairL},
	opIsEq:      {name: "eq?", args: 2},
	opNot:       {name: "not", args: 1},
	opIsZero:    {name: "zero?", args: 1},
	opVectorRef: {name: "vector-ref", args: 2},
	opVectorSet: {name: "vector-set!", args: 3},
	opStringRef: {name: "string-ref", args: 2},
}

// slowOp returns the primitive of an instruction with operands in places of their own.
func slowOp(o op) op {
	switch o {
	case opAddLC, opAddSC:
		return opAdd
	case opSubLC, opSubSC:
		return opSub
	case opNumEqLC, opNumEqLL:
		return opNumEq
	case opLessLC, opLessLL:
		return opLess
	case opGreaterLC, opGreaterLL:
		return opGreater
	case opLessEqLC, opLessEqLL:
		return opLessEq
	case opGreaterEqLC, opGreaterEqLL:
		return opGreaterEq
	case opCarL:
		return opCar
	case opCdrL:
		return opCdr
	case opIsNullL:
		return opIsNull
	case opIsPairL:
		return opIsPair
	}
	return o
}

// inline emits the instruction of a primitive, if the call is one of it.
func (f *function) inline(n *call, u use) bool {
	g, ok := n.f.(*globalRef)
	if !ok || g.g.inline == opNone || inlined[g.g.inline].args != len(n.args) {
		return false
	}
	o := g.g.inline
	how := inlined[o]
	c := f.global(g.g)
	before := f.depth
	switch first := n.args[0]; {
	case how.l != opNone && f.isPlainLocal(first):
		f.setAt(n.at)
		f.emit(how.l, first.(*localRef).v.slot, 0, c)
		f.push(1)
	case how.ll != opNone && f.isPlainLocal(first) && f.isPlainLocal(n.args[1]):
		f.setAt(n.at)
		f.emit(how.ll, first.(*localRef).v.slot, n.args[1].(*localRef).v.slot, c)
		f.push(2)
	default:
		f.operands(n, o, c)
	}
	f.depth = before
	f.push(1)
	f.finish(u)
	return true
}

// operands emits an instruction with a constant operand, or with all operands on the stack.
func (f *function) operands(n *call, o op, c int) {
	how := inlined[o]
	if len(n.args) == 2 && (how.lc != opNone || how.sc != opNone) {
		k, small := smallConstant(n.args[1])
		switch {
		case small && how.lc != opNone && f.isPlainLocal(n.args[0]):
			f.setAt(n.at)
			f.emit(how.lc, n.args[0].(*localRef).v.slot, k, c)
			f.push(2)
			return
		case small && how.sc != opNone:
			f.compile(n.args[0], push)
			f.push(1)
			f.setAt(n.at)
			f.emit(how.sc, 0, k, c)
			return
		}
	}
	for _, a := range n.args {
		f.compile(a, push)
	}
	f.setAt(n.at)
	f.emit(o, 0, 0, c)
}

func (f *function) isPlainLocal(n node) bool {
	r, ok := n.(*localRef)
	return ok && r.v.fn == f && !r.v.boxed && r.v.jump == nil
}
