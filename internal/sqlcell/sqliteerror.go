package sqlcell

import (
	"strconv"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// failure returns the error of the last call.
func (h *handle) failure(rc int32) *fault {
	f := &fault{name: codeName(rc), message: libc.GoString(sqlite.Xsqlite3_errstr(h.tls, rc)), at: -1}
	if h.db == 0 {
		return f
	}
	f.message = libc.GoString(sqlite.Xsqlite3_errmsg(h.tls, h.db))
	f.at = int(sqlite.Xsqlite3_error_offset(h.tls, h.db))
	if lent := h.lentState(); lent.refused != 0 {
		lent.refused = 0
		f.more = append(f.more, readOnlyNote)
	}
	if refused := h.vfs.refusal(); refused != "" {
		f.name, f.message = "SQLITE_AUTH", refused
	}
	return f
}

// codeName returns the name of a result code of SQLite: that of the constraint where one failed, else the primary one.
func codeName(code int32) string {
	switch code {
	case sqlite.SQLITE_CONSTRAINT_CHECK:
		return "SQLITE_CONSTRAINT_CHECK"
	case sqlite.SQLITE_CONSTRAINT_FOREIGNKEY:
		return "SQLITE_CONSTRAINT_FOREIGNKEY"
	case sqlite.SQLITE_CONSTRAINT_NOTNULL:
		return "SQLITE_CONSTRAINT_NOTNULL"
	case sqlite.SQLITE_CONSTRAINT_PRIMARYKEY:
		return "SQLITE_CONSTRAINT_PRIMARYKEY"
	case sqlite.SQLITE_CONSTRAINT_TRIGGER:
		return "SQLITE_CONSTRAINT_TRIGGER"
	case sqlite.SQLITE_CONSTRAINT_UNIQUE:
		return "SQLITE_CONSTRAINT_UNIQUE"
	case sqlite.SQLITE_CONSTRAINT_ROWID:
		return "SQLITE_CONSTRAINT_ROWID"
	case sqlite.SQLITE_CONSTRAINT_DATATYPE:
		return "SQLITE_CONSTRAINT_DATATYPE"
	}
	names := [...]string{
		"OK", "ERROR", "INTERNAL", "PERM", "ABORT", "BUSY", "LOCKED", "NOMEM", "READONLY", "INTERRUPT", "IOERR", "CORRUPT", "NOTFOUND", "FULL",
		"CANTOPEN", "PROTOCOL", "EMPTY", "SCHEMA", "TOOBIG", "CONSTRAINT", "MISMATCH", "MISUSE", "NOLFS", "AUTH", "FORMAT", "RANGE", "NOTADB",
	}
	if primary := int(code & 0xff); primary < len(names) {
		return "SQLITE_" + names[primary]
	}
	return "SQLITE_" + strconv.Itoa(int(code))
}
