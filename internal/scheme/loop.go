package scheme

// loop is the interpreter of instructions. Within it, a call is in one of two states. In the first its arguments are on
// top of the stack. At the label apply they are from bp on, and what is to be done with the result is a frame.
func (m *machine) loop(start *closure) (v Value, err error) {
	var (
		stack  = m.stack
		frames = m.frames[:0]
		fn     *closure
		cod    *code
		ins    []instruction
		pc     int
		bp, sp int
		f      Value = start
		n      int
		tail   bool // whether the call at apply has replaced its caller
		truth  bool
		in     *instruction
	)
	goto apply
next:
	for {
		in = &ins[pc]
		pc++
		switch in.op {
		case opConst:
			stack[sp] = cod.consts[in.a]
			sp++
		case opLocal:
			stack[sp] = stack[bp+int(in.a)]
			sp++
		case opFree:
			stack[sp] = fn.free[in.a]
			sp++
		case opLocalBox:
			v = stack[bp+int(in.a)].(*box).v
			goto unboxed
		case opFreeBox:
			v = fn.free[in.a].(*box).v
			goto unboxed
		case opGlobal:
			if v = cod.globals[in.a].v; v == nil {
				err = unbound(cod.globals[in.a])
				goto fail
			}
			stack[sp] = v
			sp++
		case opSetLocal:
			stack[bp+int(in.a)].(*box).v = stack[sp-1]
			stack[sp-1] = unspecified{}
		case opSetFree:
			fn.free[in.a].(*box).v = stack[sp-1]
			stack[sp-1] = unspecified{}
		case opSetGlobal:
			g := cod.globals[in.a]
			if g.v == nil {
				err = unbound(g)
				goto fail
			}
			m.assign(g, stack[sp-1])
			stack[sp-1] = unspecified{}
		case opDefine:
			m.define(cod.globals[in.a], stack[sp-1])
			stack[sp-1] = unspecified{}
		case opInitBox:
			sp--
			stack[bp+int(in.a)].(*box).v = stack[sp]
		case opNewBox:
			stack[sp] = &box{unassigned{}}
			sp++
		case opMakeBox:
			stack[bp+int(in.a)] = &box{stack[bp+int(in.a)]}
		case opPop:
			sp -= int(in.a)
		case opSlide:
			v = stack[sp-1]
			sp -= int(in.a)
			stack[sp-1] = v
		case opJump:
			pc = int(in.a)
		case opJumpFalse:
			sp--
			if b, ok := stack[sp].(bool); ok && !b {
				pc = int(in.a)
			}
		case opJumpOr:
			if b, ok := stack[sp-1].(bool); ok && !b {
				sp--
			} else {
				pc = int(in.a)
			}
		case opLoop:
			slot, count := bp+int(in.b), int(in.c)
			for i := range count {
				stack[slot+i] = stack[sp-count+i]
			}
			sp = slot + count
			if m.fuel--; m.fuel < 0 {
				if err = m.refill(len(frames)); err != nil {
					goto fail
				}
			}
			pc = int(in.a)
		case opClosure:
			stack[sp] = newClosure(cod.consts[in.a].(*code), stack[bp:], fn.free)
			sp++
		case opCases:
			sp -= int(in.a)
			stack[sp] = newCases(stack[sp : sp+int(in.a)])
			sp++
		case opPatch:
			stack[bp+int(in.a)].(*closure).free[in.b] = stack[bp+int(in.c)]
		case opCall:
			sp--
			f, n = stack[sp], int(in.a)
			goto call
		case opTailCall:
			sp--
			f, n = stack[sp], int(in.a)
			goto tailCall
		case opCallGlobal, opTailCallGlobal:
			if f = cod.globals[in.b].v; f == nil {
				err = unbound(cod.globals[in.b])
				goto fail
			}
			if n = int(in.a); in.op == opCallGlobal {
				goto call
			}
			goto tailCall
		case opReturn:
			v = stack[sp-1]
			goto ret

		case opAdd:
			if x, ok := stack[sp-2].(int64); ok && m.shadowed&(1<<opAdd) == 0 {
				if y, ok := stack[sp-1].(int64); ok {
					if z := x + y; (z > x) == (y > 0) {
						sp--
						stack[sp-1] = m.boxed(z)
						continue
					}
				}
			}
			goto slow
		case opSub:
			if x, ok := stack[sp-2].(int64); ok && m.shadowed&(1<<opSub) == 0 {
				if y, ok := stack[sp-1].(int64); ok {
					if z := x - y; (z < x) == (y > 0) {
						sp--
						stack[sp-1] = m.boxed(z)
						continue
					}
				}
			}
			goto slow
		case opAddLC:
			if x, ok := stack[bp+int(in.a)].(int64); ok && m.shadowed&(1<<opAdd) == 0 {
				if z := x + int64(in.b); (z > x) == (in.b > 0) {
					stack[sp] = m.boxed(z)
					sp++
					continue
				}
			}
			goto slowLC
		case opSubLC:
			if x, ok := stack[bp+int(in.a)].(int64); ok && m.shadowed&(1<<opSub) == 0 {
				if z := x - int64(in.b); (z < x) == (in.b > 0) {
					stack[sp] = m.boxed(z)
					sp++
					continue
				}
			}
			goto slowLC
		case opAddSC:
			if x, ok := stack[sp-1].(int64); ok && m.shadowed&(1<<opAdd) == 0 {
				if z := x + int64(in.b); (z > x) == (in.b > 0) {
					stack[sp-1] = m.boxed(z)
					continue
				}
			}
			goto slowSC
		case opSubSC:
			if x, ok := stack[sp-1].(int64); ok && m.shadowed&(1<<opSub) == 0 {
				if z := x - int64(in.b); (z < x) == (in.b > 0) {
					stack[sp-1] = m.boxed(z)
					continue
				}
			}
			goto slowSC
		case opNumEq, opLess, opGreater, opLessEq, opGreaterEq:
			if x, ok := stack[sp-2].(int64); ok && m.shadowed&(1<<in.op) == 0 {
				if y, ok := stack[sp-1].(int64); ok {
					sp -= 2
					truth = ordered(in.op, x, y)
					goto test
				}
			}
			goto slow
		case opNumEqLC, opLessLC, opGreaterLC, opLessEqLC, opGreaterEqLC:
			if x, ok := stack[bp+int(in.a)].(int64); ok {
				if o := in.op - opNumEqLC + opNumEq; m.shadowed&(1<<o) == 0 {
					truth = ordered(o, x, int64(in.b))
					goto test
				}
			}
			goto slowLC
		case opNumEqLL, opLessLL, opGreaterLL, opLessEqLL, opGreaterEqLL:
			if x, ok := stack[bp+int(in.a)].(int64); ok {
				if y, ok := stack[bp+int(in.b)].(int64); ok {
					if o := in.op - opNumEqLL + opNumEq; m.shadowed&(1<<o) == 0 {
						truth = ordered(o, x, y)
						goto test
					}
				}
			}
			goto slowLL
		case opCar:
			if p, ok := stack[sp-1].(*pair); ok && m.shadowed&(1<<opCar) == 0 {
				stack[sp-1] = p.car
				continue
			}
			goto slow
		case opCdr:
			if p, ok := stack[sp-1].(*pair); ok && m.shadowed&(1<<opCdr) == 0 {
				stack[sp-1] = p.cdr
				continue
			}
			goto slow
		case opCarL:
			if p, ok := stack[bp+int(in.a)].(*pair); ok && m.shadowed&(1<<opCar) == 0 {
				stack[sp] = p.car
				sp++
				continue
			}
			goto slowL
		case opCdrL:
			if p, ok := stack[bp+int(in.a)].(*pair); ok && m.shadowed&(1<<opCdr) == 0 {
				stack[sp] = p.cdr
				sp++
				continue
			}
			goto slowL
		case opCons:
			if m.shadowed&(1<<opCons) == 0 {
				sp--
				stack[sp-1] = &pair{stack[sp-1], stack[sp]}
				continue
			}
			goto slow
		case opIsNull:
			if m.shadowed&(1<<opIsNull) == 0 {
				sp--
				_, truth = stack[sp].(empty)
				goto test
			}
			goto slow
		case opIsNullL:
			if m.shadowed&(1<<opIsNull) == 0 {
				_, truth = stack[bp+int(in.a)].(empty)
				goto test
			}
			goto slowL
		case opIsPair:
			if m.shadowed&(1<<opIsPair) == 0 {
				sp--
				_, truth = stack[sp].(*pair)
				goto test
			}
			goto slow
		case opIsPairL:
			if m.shadowed&(1<<opIsPair) == 0 {
				_, truth = stack[bp+int(in.a)].(*pair)
				goto test
			}
			goto slowL
		case opIsEq:
			if m.shadowed&(1<<opIsEq) == 0 {
				sp -= 2
				truth = stack[sp] == stack[sp+1]
				goto test
			}
			goto slow
		case opNot:
			if m.shadowed&(1<<opNot) == 0 {
				sp--
				b, ok := stack[sp].(bool)
				truth = ok && !b
				goto test
			}
			goto slow
		case opVectorRef:
			if vec, ok := stack[sp-2].(*vector); ok && m.shadowed&(1<<opVectorRef) == 0 {
				if i, ok := stack[sp-1].(int64); ok && uint64(i) < uint64(len(vec.items)) {
					sp--
					stack[sp-1] = vec.items[i]
					continue
				}
			}
			goto slow
		case opVectorSet:
			if vec, ok := stack[sp-3].(*vector); ok && m.shadowed&(1<<opVectorSet) == 0 {
				if i, ok := stack[sp-2].(int64); ok && uint64(i) < uint64(len(vec.items)) {
					vec.items[i] = stack[sp-1]
					sp -= 2
					stack[sp-1] = unspecified{}
					continue
				}
			}
			goto slow
		case opMul, opCadr, opCddr, opIsZero, opStringRef:
			goto slow

		case opRestoreDynamics:
			m.dyn = stack[bp].(*dynamics)
			v = stack[sp-1]
			goto ret
		case opReceive:
			f = stack[bp]
			if stack, n, err = m.spread(stack, bp, stack[sp-1]); err != nil {
				goto fail
			}
			tail = false
			goto apply
		case opGoOnRewinding:
			if w, ok := stack[bp+2].(*wind); ok {
				m.winds = w
			}
			f, n, tail = m.in.rewind, 2, false
			goto apply
		}
	}

unboxed:
	if _, ok := v.(unassigned); ok {
		err = unassignedVariable(cod.consts[in.b])
		goto fail
	}
	stack[sp] = v
	sp++
	goto next

slowLC:
	stack[sp] = stack[bp+int(in.a)]
	sp++
slowSC:
	stack[sp] = int64(in.b)
	sp++
	goto slow
slowLL:
	stack[sp], stack[sp+1] = stack[bp+int(in.a)], stack[bp+int(in.b)]
	sp += 2
	goto slow
slowL:
	stack[sp] = stack[bp+int(in.a)]
	sp++
slow: // the operands are on the stack
	if f = cod.globals[in.c].v; f == nil {
		err = unbound(cod.globals[in.c])
		goto fail
	}
	n = inlined[slowOp(in.op)].args

call:
	if p, ok := f.(*prim); ok && p.special == nil {
		if err = p.check(n); err != nil {
			goto fail
		}
		if v, err = p.fn(m, stack[sp-n:sp]); err != nil {
			goto fail
		}
		sp -= n
		stack[sp] = v
		sp++
		goto next
	}
	frames = append(frames, frame{cod, fn, pc, bp})
	bp = sp - n
	tail = false
	goto apply

tailCall:
	for i := range n {
		stack[bp+i] = stack[sp-n+i]
	}
	tail = true

apply: // n arguments from bp on
	switch p := f.(type) {
	case *closure:
		if n != p.code.params && !p.code.accepts(n) {
			err = arity(f, n)
			goto failApply
		}
		fn, cod = p, p.code
	case *caseProc:
		c := p.accepting(n)
		if c == nil {
			err = arity(f, n)
			goto failApply
		}
		fn, cod = c, c.code
	case *prim:
		if err = p.check(n); err != nil {
			goto failApply
		}
		if p.special == nil {
			if v, err = p.fn(m, stack[bp:bp+n]); err != nil {
				goto failApply
			}
			goto ret
		}
		if m.fuel--; m.fuel < 0 {
			if err = m.refill(len(frames)); err != nil {
				goto failApply
			}
		}
		m.stack, m.frames, m.bp = stack, frames, bp
		f, n, v, err = p.special(m, bp, n)
		stack, frames, bp = m.stack, m.frames, m.bp
		if err != nil {
			goto failApply
		}
		if f == nil {
			goto ret
		}
		goto apply
	case *continuation:
		if m.fuel--; m.fuel < 0 {
			if err = m.refill(len(frames)); err != nil {
				goto failApply
			}
		}
		m.stack, m.frames, m.bp = stack, frames, bp
		f, n, v = m.enter(p, bp, n)
		stack, frames, bp = m.stack, m.frames, m.bp
		if f == nil {
			goto ret
		}
		goto apply
	case *parameter:
		if n != 0 {
			err = arity(f, n)
			goto failApply
		}
		v = m.dyn.value(p)
		goto ret
	default:
		err = fault(kindCall, "%s is no procedure, and cannot be called", withType(f))
		goto failApply
	}
	ins, pc = cod.ins, 0
	sp = bp + n
	if need := sp + cod.depth + 4; need > len(stack) {
		if stack, err = m.grow(stack, sp, need, len(frames)); err != nil {
			goto failApply
		}
	}
	if cod.rest {
		stack[bp+cod.params] = listOnto(stack[bp+cod.params:sp], empty{})
		sp = bp + cod.params + 1
	}
	if m.fuel--; m.fuel < 0 {
		if err = m.refill(len(frames)); err != nil {
			goto fail
		}
	}
	goto next

test: // a truth value, which the next instruction may branch on
	if jump := &ins[pc]; jump.op == opJumpFalse {
		if pc++; !truth {
			pc = int(jump.a)
		}
		goto next
	}
	stack[sp] = truth
	sp++
	goto next

ret: // v to the innermost frame
	sp = bp
	if len(frames) == 0 {
		if m.seg == nil {
			m.stack, m.frames = stack, frames
			return v, nil
		}
		if stack, frames, err = m.reinstate(stack, frames); err != nil {
			goto failApply
		}
		sp = m.bp
	}
	{
		last := &frames[len(frames)-1]
		cod, fn, pc, bp = last.code, last.fn, last.pc, last.bp
		frames = frames[:len(frames)-1]
	}
	ins = cod.ins
	stack[sp] = v
	sp++
	goto next

failApply: // in a call whose frame, if any, is pushed
	sp = bp
	if !tail {
		goto raise
	}
fail: // at the instruction before pc
	if cod != nil {
		frames = append(frames, frame{cod, fn, pc, bp})
		bp = sp
	}
raise:
	c, ok := asCondition(err)
	if !ok {
		m.stack, m.frames = stack, frames
		m.failed = m.trace()
		return nil, err
	}
	if stack, err = m.grow(stack, sp, sp+8, len(frames)); err != nil {
		goto raise
	}
	bp = sp
	stack[sp] = c
	f, n, tail = m.in.raise, 1, false
	goto apply
}

func ordered(o op, x, y int64) bool {
	switch o {
	case opLess:
		return x < y
	case opGreater:
		return x > y
	case opLessEq:
		return x <= y
	case opGreaterEq:
		return x >= y
	}
	return x == y
}
