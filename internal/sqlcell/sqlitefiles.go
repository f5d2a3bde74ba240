package sqlcell

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite "modernc.org/sqlite/lib"
)

// grant says which files SQLite may open.
type grant struct {
	folder  string // that names without one are in; empty for no files at all
	outside bool   // other folders too
}

// fileSystem is the virtual file system of a connection. It is that of the system behind a gate: SQLite resolves and
// opens every file there, whatever statement or journal names it.
type fileSystem struct{ ptr uintptr }

// gate is what the callbacks of a file system know. It is in C's memory, behind the description of the file system.
type gate struct {
	system  uintptr // the file system of the operating system
	folder  uintptr // a string of C
	outside int32
	refused int32 // the last refusal
}

// Why a file was refused.
const (
	refusedNone int32 = iota
	refusedAny
	refusedPath
	refusedKind
)

// registerFileSystem makes a file system known to SQLite under a name of its own.
func registerFileSystem(tls *libc.TLS, g grant) (*fileSystem, error) {
	system := sqlite.Xsqlite3_vfs_find(tls, 0)
	if system == 0 {
		return nil, fmt.Errorf("SQLite has no file system on this machine")
	}
	size := unsafe.Sizeof(sqlite.Tsqlite3_vfs{})
	ptr := libc.Xcalloc(tls, 1, types.Size_t(size+unsafe.Sizeof(gate{})))
	if ptr == 0 {
		return nil, errNoMemory
	}
	name, err := libc.CString(fmt.Sprintf("cell-%x", ptr))
	if err != nil {
		return nil, err
	}
	folder, err := libc.CString(g.folder)
	if err != nil {
		return nil, err
	}
	vfs := (*sqlite.Tsqlite3_vfs)(pointer(ptr))
	*vfs = *(*sqlite.Tsqlite3_vfs)(pointer(system))
	vfs.FpNext, vfs.FzName, vfs.FpAppData = 0, name, ptr+size
	vfs.FxOpen, vfs.FxDelete, vfs.FxAccess = cFunction(openFile), cFunction(deleteFile), cFunction(accessFile)
	vfs.FxFullPathname = cFunction(fullPathname)
	vfs.FxDlOpen, vfs.FxDlError, vfs.FxDlSym, vfs.FxDlClose = 0, 0, 0, 0
	*gateOf(ptr) = gate{system: system, folder: folder}
	if g.outside {
		gateOf(ptr).outside = 1
	}
	if rc := sqlite.Xsqlite3_vfs_register(tls, ptr, 0); rc != sqlite.SQLITE_OK {
		return nil, fmt.Errorf("register the file system of a cell: code %d", rc)
	}
	return &fileSystem{ptr}, nil
}

func (f *fileSystem) name() uintptr { return (*sqlite.Tsqlite3_vfs)(pointer(f.ptr)).FzName }

// unregister forgets the file system. No connection may have it any more.
func (f *fileSystem) unregister(tls *libc.TLS) {
	sqlite.Xsqlite3_vfs_unregister(tls, f.ptr)
	libc.Xfree(tls, f.name())
	libc.Xfree(tls, gateOf(f.ptr).folder)
	libc.Xfree(tls, f.ptr)
}

// refusal returns the sentence for the last file that was refused, and forgets it.
func (f *fileSystem) refusal() string {
	g := gateOf(f.ptr)
	why := g.refused
	g.refused = refusedNone
	switch why {
	case refusedAny:
		return "no file can be opened here: this database has memory only"
	case refusedPath:
		return "only files directly in the folder of the notebook can be opened here, since its programs run in the sandbox"
	case refusedKind:
		return "the file is no regular file"
	}
	return ""
}

func gateOf(vfs uintptr) *gate {
	return (*gate)(pointer((*sqlite.Tsqlite3_vfs)(pointer(vfs)).FpAppData))
}

// system returns the file system of the operating system.
func (g *gate) of() *sqlite.Tsqlite3_vfs { return (*sqlite.Tsqlite3_vfs)(pointer(g.system)) }

// allows reports whether a whole path may be opened. A link within the folder is not followed, which the file system of
// the operating system sees to: it opens the last element of a path only where that is no link.
func (g *gate) allows(path string) bool {
	folder := libc.GoString(g.folder)
	switch {
	case g.outside != 0:
		return true
	case folder == "":
		g.refused = refusedAny
	case filepath.Dir(path) != filepath.Clean(folder) || filepath.Base(path) == "..":
		g.refused = refusedPath
	default:
		return true
	}
	return false
}

// fullPathname makes the name of a database a whole path.
func fullPathname(tls *libc.TLS, vfs, name uintptr, size int32, out uintptr) int32 {
	g := gateOf(vfs)
	path := filepath.FromSlash(libc.GoString(name))
	if !filepath.IsAbs(path) {
		path = filepath.Join(libc.GoString(g.folder), path)
	}
	if !g.allows(path) {
		return sqlite.SQLITE_CANTOPEN
	}
	if g.outside != 0 {
		whole, err := libc.CString(path)
		if err != nil {
			return sqlite.SQLITE_NOMEM
		}
		defer libc.Xfree(tls, whole)
		resolve := goFunction[func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32](g.of().FxFullPathname)
		return resolve(tls, g.system, whole, size, out)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		g.refused = refusedKind
		return sqlite.SQLITE_CANTOPEN
	}
	if len(path)+1 > int(size) {
		return sqlite.SQLITE_CANTOPEN
	}
	buffer := unsafe.Slice((*byte)(pointer(out)), size)
	buffer[copy(buffer, path)] = 0
	return sqlite.SQLITE_OK
}

// openFile opens a database, a journal or, without a name, a temporary file.
func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	g := gateOf(vfs)
	if name == 0 && g.outside == 0 || name != 0 && !g.allows(libc.GoString(name)) {
		*(*uintptr)(pointer(file)) = 0 // it has no methods, so that SQLite does not close it
		return sqlite.SQLITE_CANTOPEN
	}
	open := goFunction[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](g.of().FxOpen)
	return open(tls, g.system, name, file, flags, outFlags)
}

func deleteFile(tls *libc.TLS, vfs, name uintptr, sync int32) int32 {
	g := gateOf(vfs)
	if !g.allows(libc.GoString(name)) {
		return sqlite.SQLITE_IOERR_DELETE
	}
	remove := goFunction[func(*libc.TLS, uintptr, uintptr, int32) int32](g.of().FxDelete)
	return remove(tls, g.system, name, sync)
}

func accessFile(tls *libc.TLS, vfs, name uintptr, flags int32, out uintptr) int32 {
	g := gateOf(vfs)
	if !g.allows(libc.GoString(name)) {
		*(*int32)(pointer(out)) = 0
		return sqlite.SQLITE_OK
	}
	access := goFunction[func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32](g.of().FxAccess)
	return access(tls, g.system, name, flags, out)
}

// goFunction returns a function of C as Go calls it.
func goFunction[F any](address uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ uintptr }{address}))
}
