package scheme

import (
	_ "embed"
	"errors"
	"io"
	"time"
)

// Config says what programs may have. The zero Config grants nothing and has the default bounds.
type Config struct {
	Now       func() time.Time  // the clock; nil for none
	Files     Files             // nil for none
	Environ   map[string]string // environment variables
	Arguments []string          // of command-line

	MaxSteps int64 // of one Eval: calls and iterations; 0 for no bound
	MaxHeap  int64 // bytes of the heap of the process; 0 for no bound
	MaxStack int   // values on the stack, two for each call that is not in tail position; 0 for DefaultMaxStack
}

// DefaultMaxStack is the bound of the stack: some two million calls.
const DefaultMaxStack = 6 << 20

// Files are the files that programs may use.
type Files interface {
	Open(name string) (io.ReadCloser, error)
	Create(name string) (io.WriteCloser, error)
	Remove(name string) error
	Exists(name string) bool
}

// Interp is an interpreter with the definitions of its programs. Its methods are called by one goroutine at a time.
type Interp struct {
	config    Config
	machine   *machine
	symbols   map[string]*symbol
	core      *environment // everything built in
	user      *environment // of programs
	libraries map[string]*library
	began     time.Time

	stdin, stdout, stderr                   *parameter
	dirty                                   *output // has text that is not written to the host yet
	run                                     Run     // that is executing
	raise                                   Value   // the procedure
	rewind                                  Value   // the procedure
	restoreDynamics, receive, goOnRewinding *code
}

//go:embed prelude.scm
var prelude string

// New returns an interpreter.
func New(c Config) *Interp {
	if c.MaxStack <= 0 {
		c.MaxStack = DefaultMaxStack
	}
	in := &Interp{
		config: c, symbols: map[string]*symbol{},
		restoreDynamics: machineCode(opRestoreDynamics), receive: machineCode(opReceive), goOnRewinding: machineCode(opGoOnRewinding),
	}
	if c.Now != nil {
		in.began = c.Now()
	}
	in.Reset()
	return in
}

// Reset drops all definitions.
func (in *Interp) Reset() {
	in.machine = newMachine(in)
	in.libraries = map[string]*library{}
	in.core = newEnvironment()
	for _, p := range []**parameter{&in.stdin, &in.stdout, &in.stderr} {
		*p = &parameter{value: eof{}, converter: false}
	}
	in.defineBuiltins()
	in.user = newEnvironment()
	for _, l := range libraryTable {
		for _, name := range in.libraryNames(l.name) {
			in.importBuiltin(in.user, name, name)
		}
	}
	for _, name := range []string{"import", "define-library"} {
		in.importBuiltin(in.user, in.intern(name), in.intern(name))
	}
}

func (in *Interp) intern(name string) *symbol {
	s, ok := in.symbols[name]
	if !ok {
		s = &symbol{name}
		in.symbols[name] = s
	}
	return s
}

// defineBuiltins fills the environment of the interpreter.
func (in *Interp) defineBuiltins() {
	for _, k := range keywords() {
		in.core.take(in.intern(k.name), k)
	}
	for _, group := range [][]*prim{
		numberPrims(), integerPrims(), realPrims(), listPrims(), charPrims(), stringPrims(), vectorPrims(),
		controlPrims(), portPrims(), systemPrims(), notebookPrims(),
	} {
		for _, p := range group {
			in.builtinGlobal(p.name).v = p
		}
	}
	for o, known := range inlined {
		if known.name != "" {
			in.builtinGlobal(known.name).inline = op(o)
		}
	}
	in.builtinGlobal("current-input-port").v = in.stdin
	in.builtinGlobal("current-output-port").v = in.stdout
	in.builtinGlobal("current-error-port").v = in.stderr
	in.rewind = in.builtin("%rewind")
	in.evalPrelude()
	in.raise = in.builtin("raise")
	for _, same := range [][2]string{
		{"emergency-exit", "%exit"}, {"exact->inexact", "inexact"}, {"inexact->exact", "exact"},
	} {
		in.builtinGlobal(same[0]).v = in.builtin(same[1])
	}
}

func (in *Interp) builtinGlobal(name string) *global {
	return in.core.define(in.intern(name))
}

func (in *Interp) builtin(name string) Value {
	return in.core.lookup(in.intern(name)).(*global).v
}

// evalPrelude defines the procedures that are written in Scheme. They are no code of a program: no trace shows them.
func (in *Interp) evalPrelude() {
	r := &reader{in: newTextIn([]rune(prelude)), intern: in.intern}
	for {
		form, at, err := r.read()
		if err != nil {
			if errors.Is(err, errEnd) {
				return
			}
			panic(err) // the text is a constant
		}
		c, err := in.compile(part{form, at}, nil, nil, in.core)
		if err == nil {
			_, err = in.machine.run(&closure{code: c})
		}
		if err != nil {
			panic(err)
		}
	}
}

// compile returns the code of a form.
func (in *Interp) compile(form part, src *source, spans map[*pair]span, env *environment) (*code, error) {
	x := &expander{in: in, src: src, spans: spans}
	n := x.top(form, env)
	if x.err != nil {
		return nil, x.err
	}
	return generate(n, src), nil
}
