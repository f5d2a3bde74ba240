package sqlcell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sqlite "modernc.org/sqlite/lib"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
)

// Config is what an engine is granted.
type Config struct {
	Dir string // the folder of the notebook; the current one if it is empty

	// Memory bounds that of SQLite in this process, in bytes; 0 is [DefaultMemory], and a negative number no bound.
	Memory int64

	// Restricted limits files to those directly in Dir, and grants no connection: it is for notebooks whose programs run
	// in a sandbox, while this engine runs outside.
	Restricted bool

	// Connection returns the URL of a named connection; nil grants none. It is called at each use that opens one. Its
	// error is for users and must not have the URL.
	Connection func(name string) (url string, err error)

	// DuckDB has cells without a connection use DuckDB in memory, and not SQLite.
	DuckDB bool
}

// DefaultMemory is the bound of SQLite's memory, in bytes.
const DefaultMemory = 512 << 20

// database is one that statements are executed in. One goroutine uses it at a time.
type database interface {
	// run executes the statements of a cell until one fails, or the context ends.
	run(ctx context.Context, q query, out *output) *fault
	// state returns that of the transaction.
	state() state
	// relations returns the tables and views, sorted by name.
	relations(ctx context.Context) ([]relation, *fault)
	// fetch returns the rows of a table or view.
	fetch(ctx context.Context, r relation, b bounds) (*table, *fault)
	// close ends the connection. An open transaction is rolled back.
	close()
}

// memoryDatabase is one in memory, which also takes frames.
type memoryDatabase interface {
	database
	// store makes a table of a frame, in place of a table of its name, or changes nothing.
	store(ctx context.Context, name string, f frame) *fault
}

// state is that of a transaction.
type state int

const (
	stateNone state = iota
	stateOpen
	stateFailed // nothing runs in it but its end
)

// Engine executes SQL cells. It implements [lang.Engine].
type Engine struct {
	cfg Config

	use       chan struct{} // has an element while a run or a call uses what follows
	databases map[string]database
	params    parameters
	results   map[string]resource
	count     int

	mu     sync.Mutex              // guards what follows
	cancel context.CancelCauseFunc // of the run, nil while there is none
	closed bool

	grace time.Duration // after which a statement that does not stop is left alone
	dead  chan struct{} // closed when one was
}

// stopGrace is how long a statement may take to stop. Only one call of a function within a statement can take longer,
// such as an instr with two texts of megabytes.
const stopGrace = 5 * time.Second

// New returns an engine that is not loaded.
func New(cfg Config) (*Engine, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of the notebook: %w", err)
	}
	cfg.Dir = dir
	if cfg.DuckDB {
		if err := cfg.checkDuckDB(); err != nil {
			return nil, err
		}
	}
	if cfg.Memory == 0 {
		cfg.Memory = DefaultMemory
	}
	return &Engine{cfg: cfg, use: make(chan struct{}, 1), grace: stopGrace, dead: make(chan struct{})}, nil
}

// checkDuckDB returns why DuckDB cannot be used. It opens what it likes, in this process, which no sandbox confines.
func (c Config) checkDuckDB() error {
	if c.Restricted {
		return errors.New("DuckDB is not granted: the programs of this notebook run in the sandbox")
	}
	if err := LacksDuckDB(); err != nil {
		return fmt.Errorf("DuckDB cannot be used: %w", err)
	}
	return nil
}

// Info implements [lang.Engine].
func (e *Engine) Info() lang.Info {
	return lang.Info{Language: names.SQL, Version: "SQLite " + sqlite.SQLITE_VERSION, Extension: ".sql", MIME: "text/x-sql"}
}

// Abilities implements [lang.Engine].
func (e *Engine) Abilities() lang.Abilities {
	return lang.Abilities{Completer: e, Inspector: e, VariableLister: e, Resetter: e, Accessor: e, Tabler: e}
}

// The names of the databases in memory.
const (
	memoryConnection = "memory" // of SQLite
	duckConnection   = "duckdb"
)

// Load implements [lang.Engine].
func (e *Engine) Load(context.Context, func(lang.Progress)) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	if e.isClosed() {
		return lang.ErrClosed
	}
	if e.databases != nil {
		return nil
	}
	return e.renew()
}

// lock waits for the run or the call that uses the engine. It returns [lang.ErrDied] once a statement was left alone.
func (e *Engine) lock() error {
	select {
	case <-e.dead:
		return lang.ErrDied
	default:
	}
	select {
	case e.use <- struct{}{}:
		return nil
	case <-e.dead:
		return lang.ErrDied
	}
}

func (e *Engine) unlock() { <-e.use }

// renew forgets all state.
func (e *Engine) renew() error {
	e.closeAll()
	db, err := openSQLite(memoryName, e.grant(), e.cfg.Memory)
	if err != nil {
		return fmt.Errorf("open the database in memory: %w", err)
	}
	e.databases = map[string]database{memoryConnection: db}
	if e.cfg.DuckDB {
		duck, f := openDuckDB(context.Background(), "", e.cfg.Dir, e.cfg.Memory)
		if f != nil {
			return fmt.Errorf("open DuckDB: %w", f)
		}
		e.databases[duckConnection] = duck
	}
	e.params, e.results, e.count = parameters{}, map[string]resource{}, 0
	return nil
}

func (e *Engine) grant() grant { return grant{folder: e.cfg.Dir, outside: !e.cfg.Restricted} }

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// The causes of the end of a run.
var (
	errInterrupted = errors.New("interrupted")
	errTimedOut    = errors.New("the time is over")
)

// Execute implements [lang.Engine]. A statement that does not stop is left alone, since nothing ends a part of a process:
// the engine has died then, and frees what it has when the statement ends after all.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if err := e.lock(); err != nil {
		return lang.Result{}, err
	}
	if ctx.Err() != nil {
		e.unlock()
		return lang.Result{}, context.Cause(ctx)
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if req.Timeout > 0 {
		var stop context.CancelFunc
		run, stop = context.WithTimeoutCause(run, req.Timeout, errTimedOut)
		defer stop()
	}
	if !e.begin(cancel) {
		e.unlock()
		return lang.Result{}, lang.ErrClosed
	}
	defer e.begin(nil)
	e.count++
	result := lang.Result{Count: e.count}
	ended, guarded := make(chan *fault, 1), &leftSink{sink: sink}
	go func() { ended <- e.execute(run, req.Source, req.Tables, guarded) }()
	f, left := e.await(run, ended, guarded)
	if left {
		close(e.dead)
		go func() {
			<-ended
			e.closeAll()
		}()
		return result, e.diedOrClosed()
	}
	e.unlock()
	if f == nil {
		return result, nil
	}
	if e.isClosed() {
		return result, lang.ErrClosed
	}
	if run.Err() != nil {
		f = stopped(context.Cause(run), f)
	}
	result.Err = f.langError(req.Source)
	return result, nil
}

// await waits for the end of a run, and leaves it alone if it does not end within the grace after it was stopped. The time
// in which the sink blocks does not count.
func (e *Engine) await(run context.Context, ended <-chan *fault, sink *leftSink) (f *fault, left bool) {
	select {
	case f = <-ended:
		return f, false
	case <-run.Done():
	}
	for {
		select {
		case f = <-ended:
			return f, false
		case <-time.After(e.grace):
			if sink.leave() {
				return nil, true
			}
		}
	}
}

func (e *Engine) diedOrClosed() error {
	if e.isClosed() {
		return lang.ErrClosed
	}
	return fmt.Errorf("%w: a function in the statement did not stop, and goes on in the runtime until it is restarted", lang.ErrDied)
}

// begin notes how the run is cancelled, and reports whether the engine is open.
func (e *Engine) begin(cancel context.CancelCauseFunc) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel = cancel
	return !e.closed
}

// stopped returns the fault of a run that was stopped, with the details of its last.
func stopped(cause error, last *fault) *fault {
	f := &fault{name: "Interrupted", cause: lang.CauseInterrupted, message: "the statement was stopped", at: -1, line: last.line, more: last.more}
	if errors.Is(cause, errTimedOut) {
		f.name, f.cause, f.message = "TimedOut", lang.CauseTimedOut, "the statement was stopped, since its time is over"
	}
	return f
}

func (e *Engine) execute(ctx context.Context, source string, tables lang.Tabler, sink lang.Sink) *fault {
	q, f := parse(source)
	if f != nil {
		return f
	}
	connection := cmp.Or(q.connection, e.main())
	db, f := e.database(ctx, connection)
	if f != nil {
		return f
	}
	for name, value := range q.sets {
		e.params[name] = value
	}
	q.params, q.lender = e.params, lender{tables}
	out := &output{sink: sink, csv: q.csv, keep: len(q.results) > 0}
	before := db.state()
	f = db.run(ctx, q, out)
	if f != nil {
		out.flush()
		if f.lost {
			db.close()
			delete(e.databases, connection)
			f.more = append(f.more, "The connection is lost, and an open transaction with it: the next cell connects again.")
			return f
		}
		if before == stateOpen && db.state() == stateNone {
			f.more = append(f.more, "The transaction that was open has been rolled back.")
		}
	} else if t := out.result(); t != nil {
		f = e.keep(ctx, q, t, out)
	}
	if note := transactionNote(before, db.state()); note != "" {
		sink.Stream(lang.Stderr, note)
	}
	return f
}

// keep keeps the rows of a result under names, and sets variables of another language to them.
func (e *Engine) keep(ctx context.Context, q query, t *table, out *output) *fault {
	for _, name := range q.results {
		t.kept.count, t.kept.more = t.count, t.more
		r, err := t.kept.whole()
		if err != nil {
			return &fault{name: "DirectiveError", at: -1, message: fmt.Sprintf("the result is not kept as %s, since %v: CREATE TABLE %s AS makes a table of it", name, err, name)}
		}
		e.results[name] = r
		if q.lender.tables == nil {
			continue
		}
		raw, err := json.Marshal(r)
		if err == nil {
			err = q.lender.tables.SetTable(ctx, name, raw)
		}
		if err != nil {
			out.write(lang.Stderr, fmt.Sprintf("The result is kept as %s for SQL, and not for Python: %v\n", name, err))
		}
	}
	return nil
}

// transactionNote describes the transaction that a cell leaves, "" if there is none to speak of.
func transactionNote(before, after state) string {
	switch {
	case after == stateFailed:
		return "The transaction has failed: nothing runs in it until ROLLBACK ends it.\n"
	case after == stateOpen && before == stateNone:
		return "A transaction is open, and goes on in the next cell: COMMIT keeps its changes, ROLLBACK drops them.\n"
	}
	return ""
}

// main returns the connection of cells that name none.
func (e *Engine) main() string {
	if e.cfg.DuckDB {
		return duckConnection
	}
	return memoryConnection
}

// database returns the database of a connection, which is opened at its first use.
func (e *Engine) database(ctx context.Context, name string) (database, *fault) {
	if db := e.databases[name]; db != nil {
		return db, nil
	}
	db, f := e.open(ctx, name)
	if f == nil {
		e.databases[name] = db
	}
	return db, f
}

func (e *Engine) open(ctx context.Context, name string) (database, *fault) {
	if name == duckConnection {
		return e.openDuck(ctx, "")
	}
	if isFile(name) {
		return e.openFile(ctx, name)
	}
	if e.cfg.Restricted {
		return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("the connection %s is not granted: the programs of this notebook run in the sandbox", name)}
	}
	if e.cfg.Connection == nil {
		return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("there is no connection %s here", name)}
	}
	url, err := e.cfg.Connection(name)
	if err != nil {
		return nil, &fault{name: connectionError, at: -1, message: err.Error()}
	}
	switch scheme, rest, _ := strings.Cut(url, ":"); scheme {
	case "postgres", "postgresql":
		return openPostgres(ctx, name, url)
	case "sqlite":
		return e.openSQLite(strings.TrimPrefix(rest, "//"))
	case "duckdb":
		return e.openDuck(ctx, strings.TrimPrefix(rest, "//"))
	}
	return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("the URL of the connection %s begins with none of postgres://, sqlite: and duckdb:", name)}
}

// isFile reports whether a connection is a file.
func isFile(connection string) bool { return strings.ContainsAny(connection, `./\`) }

const connectionError = "ConnectionError"

// openFile opens a file in the notebook's folder, or elsewhere.
func (e *Engine) openFile(ctx context.Context, name string) (database, *fault) {
	if extension := strings.ToLower(filepath.Ext(name)); extension == ".duckdb" || extension == ".ddb" {
		return e.openDuck(ctx, name)
	}
	return e.openSQLite(name)
}

// openDuck opens DuckDB with a file, or in memory for "".
func (e *Engine) openDuck(ctx context.Context, name string) (database, *fault) {
	if err := e.cfg.checkDuckDB(); err != nil {
		return nil, &fault{name: connectionError, at: -1, message: err.Error()}
	}
	path := name
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(e.cfg.Dir, path)
	}
	db, f := openDuckDB(ctx, path, e.cfg.Dir, e.cfg.Memory)
	if f != nil {
		f.at, f.message = -1, fmt.Sprintf("open %s: %s", cmp.Or(name, duckConnection), f.message)
	}
	return db, f
}

func (e *Engine) openSQLite(name string) (database, *fault) {
	db, err := openSQLite(name, e.grant(), e.cfg.Memory)
	var f *fault
	if errors.As(err, &f) {
		f.at = -1
		f.message = fmt.Sprintf("open %s: %s", name, f.message)
		return nil, f
	}
	if err != nil {
		return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("open %s: %v", name, err)}
	}
	return db, nil
}

// Interrupt implements [lang.Engine].
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cancel != nil {
		e.cancel(errInterrupted)
	}
	return nil
}

// Close implements [lang.Engine].
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	if e.cancel != nil {
		e.cancel(lang.ErrClosed)
	}
	e.mu.Unlock()
	if e.lock() != nil {
		return nil // a statement was left alone
	}
	defer e.unlock()
	e.closeAll()
	return nil
}

func (e *Engine) closeAll() {
	for _, db := range e.databases {
		db.close()
	}
	e.databases = nil
}
