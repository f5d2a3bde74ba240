package sqlcell

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// handle is an SQLite connection: the calls of its C interface that cells need, which the driver for database/sql does
// not have: the tail of a statement, the place of an error, and the file system. One goroutine uses it at a time, but for
// interrupt.
type handle struct {
	tls  *libc.TLS
	db   uintptr
	stop uintptr // an int32 of C: not 0 while a statement must stop; behind it those of lentState
	vfs  *fileSystem
}

// startSQLite starts SQLite in this process, counting its memory, without which no bound holds. Where the process has
// used SQLite before, the bound of the pages of a database in memory is all there is.
var startSQLite = sync.OnceValue(func() int32 {
	tls := libc.NewTLS()
	defer tls.Close()
	if args := libc.Xcalloc(tls, 1, 8); args != 0 {
		defer libc.Xfree(tls, args)
		sqlite.Xsqlite3_config(tls, sqlite.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1)))
	}
	return sqlite.Xsqlite3_initialize(tls)
})

// progressSteps is the number of instructions of SQLite's machine between two looks at the interrupt.
const progressSteps = 1000

// openHandle opens a database; its file system decides on the name. Heap bounds the memory of the process for SQLite,
// in bytes; 0 is no bound.
func openHandle(name string, g grant, heap int64) (*handle, error) {
	if rc := startSQLite(); rc != sqlite.SQLITE_OK {
		return nil, fmt.Errorf("start SQLite: code %d", rc)
	}
	h := &handle{tls: libc.NewTLS()}
	if heap > 0 {
		sqlite.Xsqlite3_hard_heap_limit64(h.tls, heap)
	}
	if err := h.open(name, g); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *handle) open(name string, g grant) (err error) {
	if h.vfs, err = registerFileSystem(h.tls, g); err != nil {
		return err
	}
	if h.stop = libc.Xcalloc(h.tls, 1, 16); h.stop == 0 {
		return errNoMemory
	}
	path, err := libc.CString(name)
	if err != nil {
		return err
	}
	defer libc.Xfree(h.tls, path)
	out := libc.Xcalloc(h.tls, 1, 8)
	if out == 0 {
		return errNoMemory
	}
	defer libc.Xfree(h.tls, out)
	rc := sqlite.Xsqlite3_open_v2(h.tls, path, out, sqlite.SQLITE_OPEN_READWRITE|sqlite.SQLITE_OPEN_CREATE|sqlite.SQLITE_OPEN_NOMUTEX, h.vfs.name())
	h.db = *(*uintptr)(pointer(out))
	if rc != sqlite.SQLITE_OK {
		return h.failure(rc)
	}
	sqlite.Xsqlite3_extended_result_codes(h.tls, h.db, 1)
	sqlite.Xsqlite3_progress_handler(h.tls, h.db, progressSteps, cFunction(mustStop), h.stop)
	sqlite.Xsqlite3_busy_timeout(h.tls, h.db, busyMillis)
	return h.harden()
}

// busyMillis is how long a statement waits for another program's lock, in milliseconds. An interrupt is seen at its end.
const busyMillis = 2000

// harden bounds what a statement and a schema from elsewhere can do.
func (h *handle) harden() error {
	for op, on := range map[int32]int32{
		sqlite.SQLITE_DBCONFIG_DEFENSIVE:             1,
		sqlite.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        0,
		sqlite.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
		sqlite.SQLITE_DBCONFIG_ENABLE_FKEY:           1,
	} {
		if rc := h.configure(op, on); rc != sqlite.SQLITE_OK {
			return h.failure(rc)
		}
	}
	sqlite.Xsqlite3_limit(h.tls, h.db, sqlite.SQLITE_LIMIT_LENGTH, maxLength)
	if rc := sqlite.Xsqlite3_set_authorizer(h.tls, h.db, cFunction(authorize), h.stop+4); rc != sqlite.SQLITE_OK {
		return h.failure(rc)
	}
	return nil
}

// maxLength bounds one string or blob of SQLite, in bytes.
const maxLength = 256 << 20

func (h *handle) configure(op, on int32) int32 {
	args := libc.Xcalloc(h.tls, 2, 8)
	if args == 0 {
		return sqlite.SQLITE_NOMEM
	}
	defer libc.Xfree(h.tls, args)
	return sqlite.Xsqlite3_db_config(h.tls, h.db, op, libc.VaList(args, on, uintptr(0)))
}

// mustStop is the progress handler: it reads the flag of the connection.
func mustStop(_ *libc.TLS, stop uintptr) int32 {
	return atomic.LoadInt32((*int32)(pointer(stop)))
}

// lentState is what the authorizer knows of tables that are lent.
type lentState struct {
	lending int32 // not 0 while they are made and dropped
	refused int32 // a change of one was refused
}

func (h *handle) lentState() *lentState { return (*lentState)(pointer(h.stop + 4)) }

// setLending lets the schema of tables that are lent be changed.
func (h *handle) setLending(on bool) {
	h.lentState().lending = 0
	if on {
		h.lentState().lending = 1
	}
}

// authorize refuses the pragmas that change the whole process, and changes of tables that are lent.
func authorize(_ *libc.TLS, lent uintptr, action int32, first, second, schema, _ uintptr) int32 {
	state := (*lentState)(pointer(lent))
	switch action {
	case sqlite.SQLITE_PRAGMA:
		return authorizePragma(first, second)
	case sqlite.SQLITE_READ, sqlite.SQLITE_SELECT, sqlite.SQLITE_ATTACH:
		return sqlite.SQLITE_OK
	case sqlite.SQLITE_ALTER_TABLE, sqlite.SQLITE_DETACH: // whose first argument is the schema
		schema = first
	}
	if state.lending == 0 && schema != 0 && strings.EqualFold(libc.GoString(schema), lentSchema) {
		state.refused = 1
		return sqlite.SQLITE_DENY
	}
	return sqlite.SQLITE_OK
}

func authorizePragma(name, value uintptr) int32 {
	if value == 0 {
		return sqlite.SQLITE_OK
	}
	switch strings.ToLower(libc.GoString(name)) {
	case "temp_store_directory", "data_store_directory", "hard_heap_limit", "soft_heap_limit":
		return sqlite.SQLITE_DENY
	}
	return sqlite.SQLITE_OK
}

// begin lets statements run until the next interrupt.
func (h *handle) begin() { atomic.StoreInt32((*int32)(pointer(h.stop)), 0) }

// interrupt has the statement that executes stop, and each later one until begin. Any goroutine may call it while the
// handle is open.
func (h *handle) interrupt() {
	atomic.StoreInt32((*int32)(pointer(h.stop)), 1)
	tls := libc.NewTLS() // one is for one goroutine
	defer tls.Close()
	sqlite.Xsqlite3_interrupt(tls, h.db)
}

// close ends the connection and rolls an open transaction back.
func (h *handle) close() {
	if h.tls == nil {
		return
	}
	if h.db != 0 {
		sqlite.Xsqlite3_close_v2(h.tls, h.db)
	}
	if h.vfs != nil {
		h.vfs.unregister(h.tls)
	}
	if h.stop != 0 {
		libc.Xfree(h.tls, h.stop)
	}
	h.tls.Close()
	h.tls = nil
}

var errNoMemory = errors.New("SQLite has no memory")

// cFunction returns a function of Go as SQLite calls it. The function must be one of a package, which stays in its
// place.
func cFunction[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

// pointer returns an address in C's memory, which Go's collector neither moves nor frees.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
