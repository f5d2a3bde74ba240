package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// Config configures a runtime. Dial and Engines are required.
type Config struct {
	// Dial opens a connection to the room, as in [replica.SessionConfig].
	Dial func(context.Context) (protocol.Conn, error)
	// Client and Runtime are ids of this session, and must be new; random if empty.
	Client  event.ClientID
	Runtime event.RuntimeID
	// Takes is the kind of the runtime; [event.TakesCode] if empty. An assistant executes ai cells with the engine of
	// Language, whatever language their cells have.
	Takes event.Takes
	// Name is shown to users.
	Name string
	// Engines is closed when Run returns.
	Engines *lang.Set
	// Language is the language of cells that name none; [notebook.DefaultLanguage] if empty.
	Language string
	// Idle is the time without a run or a connected user after which the runtime stops by
	// itself; never if 0.
	Idle time.Duration
	// EngineIdle is the time without a run after which an engine of another language than Language is unloaded; never if 0.
	EngineIdle time.Duration
	// Now is the clock that measures Idle and EngineIdle; time.Now if nil.
	Now func() time.Time
	// Grace is how long an engine may take to stop or kill its program before it is closed,
	// and how long the room may take to acknowledge the stop of the runtime; 5 s if 0. It
	// should be longer than the engines' own.
	Grace time.Duration
	// RunTimeout is how long a run may take, including waits for input; no limit if 0.
	RunTimeout time.Duration
	// InputTimeout is how long a program waits for an answer of a user; 1 h if 0, and no
	// limit if negative.
	InputTimeout time.Duration
	// Unattended says that no user can answer questions. A program that asks gets an error.
	Unattended bool
	Limits     Limits
	// Artifacts stores outputs that are too large for the log. Without it a notice replaces
	// such a value, and a long text is cut to its beginning and end.
	Artifacts artifact.Store
	// Scratch makes files for text that waits to be stored; Artifacts requires it.
	Scratch func(Waiting) (Scratch, error)
	// Spool keeps appended events until the room has acknowledged them, if not nil.
	Spool Spool
	// Limited is called when the output of a run exceeds a limit, which ends the run or drops
	// its late output. It must not block, nor call the runtime.
	Limited func(run event.RunID, limit, value string)
	// Progress is called while an engine is being loaded. It must not block.
	Progress func(language string, p lang.Progress)
	// Trouble is called with errors of connections, and for events that the room refused as
	// malformed. It must not block, nor call the runtime.
	Trouble func(error)
}

// maxClient is the longest client id, such that an output's id, which begins with it, is a
// valid name.
const maxClient = event.MaxName - len("-o") - 20

func (c *Config) setDefaults() {
	c.Client = orElse(c.Client, event.ClientID(randomName()))
	c.Runtime = orElse(c.Runtime, event.RuntimeID(randomName()))
	c.Takes = orElse(c.Takes, event.TakesCode)
	c.Language = orElse(c.Language, notebook.DefaultLanguage)
	c.Grace = orElse(c.Grace, 5*time.Second)
	c.InputTimeout = orElse(c.InputTimeout, defaultInputTimeout)
	c.Limits.setDefaults(c.Artifacts != nil)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limited == nil {
		c.Limited = func(event.RunID, string, string) {}
	}
	if c.Progress == nil {
		c.Progress = func(string, lang.Progress) {}
	}
	if c.Trouble == nil {
		c.Trouble = func(error) {}
	}
}

func orElse[T comparable](v, or T) T {
	var zero T
	if v == zero {
		return or
	}
	return v
}

// check returns all errors at once.
func (c *Config) check() error {
	errs := []error{event.CheckName("client", string(c.Client)), event.CheckName("runtime", string(c.Runtime))}
	if c.Dial == nil {
		errs = append(errs, errors.New("dial is missing: a runtime needs a connection to its room"))
	}
	if c.Engines == nil {
		errs = append(errs, errors.New("engines are missing"))
	}
	if c.Artifacts != nil && c.Scratch == nil {
		errs = append(errs, errors.New("a folder is missing for text that waits to become an artifact"))
	}
	if len(c.Client) > maxClient {
		errs = append(errs, fmt.Errorf("client is %d bytes, at most %d fit", len(c.Client), maxClient))
	}
	return errors.Join(errs...)
}

// Limits bound the output of a run, in bytes. Zero values are the defaults.
type Limits struct {
	// Stream is the most printed text of a run in the log: 1 MiB, or 10 MiB without a store
	// of artifacts. Of text beyond it the last Tail bytes of each stream are shown: 64 KiB.
	Stream, Tail int
	// Inline is the largest value of a display or result in the log: 256 KiB. It applies
	// only with a store of artifacts.
	Inline int
	// Output is the most bytes of one display or result in the log: 1 MiB, or 4 MiB without
	// a store of artifacts.
	Output int
	// Pending is the most bytes that wait for their acknowledgement: 8 MiB.
	Pending int
	// RunOutput is the most output of a run, in the log and as artifacts; a run that exceeds
	// it is ended: 1 GiB.
	RunOutput int64
	// NotebookOutput is the most bytes of outputs in a folded notebook, which every replica
	// has in memory; a run that exceeds it is ended: 128 MiB.
	NotebookOutput int64
}

func (l *Limits) setDefaults(stored bool) {
	stream, output := 10<<20, 4<<20
	if stored {
		stream, output = 1<<20, 1<<20
	}
	l.Stream = orElse(l.Stream, stream)
	l.Output = orElse(l.Output, output)
	l.Tail = orElse(l.Tail, 64<<10)
	l.Inline = orElse(l.Inline, 256<<10)
	l.Pending = orElse(l.Pending, 8<<20)
	l.RunOutput = orElse(l.RunOutput, 1<<30)
	l.NotebookOutput = orElse(l.NotebookOutput, 128<<20)
}

// Launch is the configuration of a new runtime.
type Launch struct {
	Notebook string
	Runtime  event.RuntimeID // the session to serve as
	Takes    event.Takes     // its kind
	// Token returns a token that is good for this notebook and this session only. It ends the tokens of all earlier sessions, so that it is
	// called when a runtime is started, and not while one of an earlier server has yet to connect.
	Token func() (string, error)
}
