package scheme

// node is an expanded expression: one of the types below.
type node any

type (
	constant struct{ v Value }
	localRef struct {
		v  *variable
		at pos
	}
	globalRef struct {
		g  *global
		at pos
	}
	setLocal struct {
		v  *variable
		x  node
		at pos
	}
	setGlobal struct {
		g  *global
		x  node
		at pos
	}
	defineGlobal struct {
		g *global
		x node
	}
	conditional struct{ test, then, otherwise node }
	disjunction struct{ parts []node }
	sequence    struct{ parts []node }
	lambda      struct {
		name   string
		doc    string
		params []*variable
		rest   bool // the last parameter takes the other arguments
		body   node
		at     pos
	}
	caseLambda struct {
		clauses []*lambda
		at      pos
	}
	call struct {
		f    node
		args []node
		at   pos
	}
	let struct {
		vars  []*variable
		inits []node
		body  node
	}
	// letrec binds variables one after another; an item without a variable is an expression between definitions.
	letrec struct {
		items  []item
		body   node
		judged bool  // asLoop has been asked
		loop   *loop // its answer
	}
	item struct {
		v    *variable
		init node // nil for a variable that is assigned later
	}
	// loop is a letrec of one procedure that only calls itself, in tail position: a jump.
	loop struct {
		id    *variable
		vars  []*variable
		inits []node
		body  node
	}
)

// variable is a local variable.
type variable struct {
	name     string
	assigned bool // by set!
	refs     int

	// Of a letrec: its index, the index that is being expanded, and the first whose expression refers to the variable.
	index    int
	current  *int
	firstRef int

	// Of the generation of code.
	boxed   bool
	checked bool // a reference may come before the initialisation
	fn      *function
	slot    int
	jump    *label // of the procedure of a loop
}

func (v *variable) refer() {
	v.refs++
	if v.current != nil && v.firstRef < 0 {
		v.firstRef = *v.current
	}
}

// early reports whether code that runs before the initialisation may refer to the variable of a letrec.
func (v *variable) early() bool { return v.firstRef >= 0 && v.firstRef <= v.index }

// asLoop returns a letrec of one procedure as a loop, if the procedure is called by the body alone and, in tail position,
// by itself, and is referred to by nothing else.
func asLoop(n *letrec) *loop {
	if !n.judged {
		n.judged, n.loop = true, judge(n)
	}
	return n.loop
}

func judge(n *letrec) *loop {
	if len(n.items) != 1 || n.items[0].v == nil || n.items[0].v.assigned {
		return nil
	}
	v := n.items[0].v
	l, ok := n.items[0].init.(*lambda)
	if !ok || l.rest {
		return nil
	}
	first, ok := n.body.(*call)
	if !ok || !isCallOf(first, v, len(l.params)) {
		return nil
	}
	if tailCalls(l.body, v, len(l.params)) != v.refs-1 {
		return nil
	}
	return &loop{v, l.params, first.args, l.body}
}

func isCallOf(c *call, v *variable, args int) bool {
	r, ok := c.f.(*localRef)
	return ok && r.v == v && len(c.args) == args
}

// tailCalls counts the calls of a variable in tail position of a body, without those in procedures within it.
func tailCalls(n node, v *variable, args int) int {
	switch n := n.(type) {
	case *call:
		if isCallOf(n, v, args) {
			return 1
		}
	case *conditional:
		return tailCalls(n.then, v, args) + tailCalls(n.otherwise, v, args)
	case *disjunction:
		return tailCalls(n.parts[len(n.parts)-1], v, args)
	case *sequence:
		return tailCalls(n.parts[len(n.parts)-1], v, args)
	case *let:
		return tailCalls(n.body, v, args)
	case *letrec:
		if inner := asLoop(n); inner != nil {
			return tailCalls(inner.body, v, args)
		}
		return tailCalls(n.body, v, args)
	}
	return 0
}
