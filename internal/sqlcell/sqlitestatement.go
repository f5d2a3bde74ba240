package sqlcell

import (
	"encoding/hex"
	"math"
	"strconv"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite "modernc.org/sqlite/lib"
)

// statement is a prepared statement of SQLite.
type statement struct {
	h      *handle
	ptr    uintptr
	memory []uintptr // of bound values, freed with the statement
}

// script is the source of a cell in C's memory, which SQLite reads statement by statement.
type script struct {
	h     *handle
	start uintptr
	size  int
	at    int // offset of the next statement
}

func (h *handle) script(source string) (*script, error) {
	start, err := libc.CString(source)
	if err != nil {
		return nil, err
	}
	return &script{h: h, start: start, size: len(source)}, nil
}

func (s *script) free() { libc.Xfree(s.h.tls, s.start) }

// next prepares the next statement, nil at the end. The offset of an error counts from the start of the script.
func (s *script) next() (*statement, *fault) {
	tls := s.h.tls
	out := libc.Xcalloc(tls, 2, 8)
	if out == 0 {
		return nil, &fault{name: "SQLITE_NOMEM", message: errNoMemory.Error(), at: -1}
	}
	defer libc.Xfree(tls, out)
	for s.at < s.size {
		begin := s.at
		rc := sqlite.Xsqlite3_prepare_v2(tls, s.h.db, s.start+uintptr(begin), int32(s.size-begin+1), out, out+8)
		if rc != sqlite.SQLITE_OK {
			f := s.h.failure(rc)
			if f.at >= 0 {
				f.at += begin
			}
			return nil, f
		}
		s.at = int(*(*uintptr)(pointer(out + 8)) - s.start)
		if ptr := *(*uintptr)(pointer(out)); ptr != 0 {
			return &statement{h: s.h, ptr: ptr}, nil
		}
		if s.at <= begin {
			break
		}
	}
	return nil, nil
}

func (s *statement) close() {
	sqlite.Xsqlite3_finalize(s.h.tls, s.ptr)
	s.free()
}

// free frees the values that were bound.
func (s *statement) free() {
	for _, p := range s.memory {
		libc.Xfree(s.h.tls, p)
	}
	s.memory = nil
}

// step executes up to the next row, and reports whether there is one.
func (s *statement) step() (bool, *fault) {
	switch rc := sqlite.Xsqlite3_step(s.h.tls, s.ptr); rc {
	case sqlite.SQLITE_ROW:
		return true, nil
	case sqlite.SQLITE_DONE:
		return false, nil
	default:
		return false, s.h.failure(rc)
	}
}

// reads reports whether the statement changes nothing, so that its rows may be left.
func (s *statement) reads() bool { return sqlite.Xsqlite3_stmt_readonly(s.h.tls, s.ptr) != 0 }

// columns returns the names of the columns and the types that they were declared with.
func (s *statement) columns() []column {
	list := make([]column, sqlite.Xsqlite3_column_count(s.h.tls, s.ptr))
	for i := range list {
		list[i].name = libc.GoString(sqlite.Xsqlite3_column_name(s.h.tls, s.ptr, int32(i)))
		if declared := sqlite.Xsqlite3_column_decltype(s.h.tls, s.ptr, int32(i)); declared != 0 {
			list[i].declared = libc.GoString(declared)
		}
	}
	return list
}

// row returns the values of the row, of each the first bytes.
func (s *statement) row(columns []column, most int) []cell {
	row := make([]cell, len(columns))
	for i, c := range columns {
		row[i] = s.value(int32(i), most).declaredAs(c.declared)
	}
	return row
}

func (s *statement) value(i int32, most int) cell {
	tls := s.h.tls
	switch sqlite.Xsqlite3_column_type(tls, s.ptr, i) {
	case sqlite.SQLITE_INTEGER:
		return cell{kind: kindInteger, text: strconv.FormatInt(sqlite.Xsqlite3_column_int64(tls, s.ptr, i), 10)}
	case sqlite.SQLITE_FLOAT:
		return floatCell(sqlite.Xsqlite3_column_double(tls, s.ptr, i), 64)
	case sqlite.SQLITE_TEXT:
		at := sqlite.Xsqlite3_column_text(tls, s.ptr, i)
		size := int(sqlite.Xsqlite3_column_bytes(tls, s.ptr, i))
		return textCell(kindText, memory(at, min(size, most)), size)
	case sqlite.SQLITE_BLOB:
		at := sqlite.Xsqlite3_column_blob(tls, s.ptr, i)
		size := int(sqlite.Xsqlite3_column_bytes(tls, s.ptr, i))
		return blobCell(memory(at, min(size, most)), size)
	}
	return cell{kind: kindNull}
}

// memory returns a copy of bytes of C.
func memory(at uintptr, size int) []byte {
	if at == 0 || size == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(pointer(at)), size)...)
}

// floatCell writes a number of so many bits as short as it can be read back, and always as a number that is not an integer.
func floatCell(v float64, bits int) cell {
	text := strconv.FormatFloat(v, 'g', -1, bits)
	switch {
	case math.IsInf(v, 1):
		text = "Infinity"
	case math.IsInf(v, -1):
		text = "-Infinity"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		text = strconv.FormatFloat(v, 'f', 1, 64)
	}
	return cell{kind: kindNumber, text: text}
}

// blobCell shows the beginning of a blob in hexadecimal.
func blobCell(start []byte, size int) cell {
	return cell{kind: kindBlob, text: hex.EncodeToString(start), size: size, cut: len(start) < size}
}

// parameters returns the names of the parameters of the statement with their sign, "" for one without a name.
func (s *statement) parameters() []string {
	list := make([]string, sqlite.Xsqlite3_bind_parameter_count(s.h.tls, s.ptr))
	for i := range list {
		if name := sqlite.Xsqlite3_bind_parameter_name(s.h.tls, s.ptr, int32(i+1)); name != 0 {
			list[i] = libc.GoString(name)
		}
	}
	return list
}

// bind binds a parameter, counted from 1.
func (s *statement) bind(n int, v any) *fault {
	var rc int32
	i := int32(n)
	switch v := v.(type) {
	case nil:
		rc = sqlite.Xsqlite3_bind_null(s.h.tls, s.ptr, i)
	case bool:
		var number int64
		if v {
			number = 1
		}
		rc = sqlite.Xsqlite3_bind_int64(s.h.tls, s.ptr, i, number)
	case int64:
		rc = sqlite.Xsqlite3_bind_int64(s.h.tls, s.ptr, i, v)
	case float64:
		rc = sqlite.Xsqlite3_bind_double(s.h.tls, s.ptr, i, v)
	case string:
		at := s.copy(v)
		if at == 0 {
			return &fault{name: "SQLITE_NOMEM", message: errNoMemory.Error(), at: -1}
		}
		rc = sqlite.Xsqlite3_bind_text(s.h.tls, s.ptr, i, at, int32(len(v)), 0)
	case []byte:
		at := s.copy(string(v))
		if at == 0 {
			return &fault{name: "SQLITE_NOMEM", message: errNoMemory.Error(), at: -1}
		}
		rc = sqlite.Xsqlite3_bind_blob(s.h.tls, s.ptr, i, at, int32(len(v)), 0)
	}
	if rc != sqlite.SQLITE_OK {
		return s.h.failure(rc)
	}
	return nil
}

// copy returns a copy of bytes in C's memory, 0 if there is none, which is freed with the statement.
func (s *statement) copy(v string) uintptr {
	at := libc.Xmalloc(s.h.tls, types.Size_t(len(v)+1))
	if at != 0 {
		s.memory = append(s.memory, at)
		copy(unsafe.Slice((*byte)(pointer(at)), len(v)), v)
	}
	return at
}

// bindAll binds the parameters of a statement by their names.
func bindAll(stmt *statement, params parameters) *fault {
	for i, name := range stmt.parameters() {
		if name == "" || name[0] == '?' {
			return &fault{name: "SQLITE_RANGE", message: "a parameter has a number: give it a name, such as :name", at: -1}
		}
		raw, ok := params[name[1:]]
		if !ok {
			return missingParameter(name[1:])
		}
		if f := stmt.bind(i+1, sqliteValue(raw)); f != nil {
			return f
		}
	}
	return nil
}
