// Package raw gives access to what the wrapper of QuickJS, modernc.org/quickjs, does not offer: names of sources, promises
// that nothing handles, states of promises, and the memory in use. It reads the pointers of the wrapper by their names; an
// update that renames them fails in Of.
package raw

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// Machine is the C library below a machine of the wrapper. Its methods are called like those of the wrapper.
type Machine struct {
	vm       *quickjs.VM
	tls      *libc.TLS
	rt, ctx  uintptr
	valueAt  uintptr // where a quickjs.Value has its value of the C library
	tracking uintptr // C memory with the function that notes rejections
}

// Of returns the access to a machine.
func Of(vm *quickjs.VM) (r *Machine, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("this version of the wrapper of QuickJS is laid out differently: %v", p)
		}
	}()
	v := reflect.ValueOf(vm).Elem()
	runtime := v.FieldByName("runtime").Elem()
	field, ok := reflect.TypeFor[quickjs.Value]().FieldByName("v")
	if !ok || field.Type != reflect.TypeFor[lib.TJSValue]() {
		return nil, errors.New("this version of the wrapper of QuickJS is laid out differently: its values")
	}
	return &Machine{
		vm: vm, ctx: uintptr(v.FieldByName("cContext").Uint()), rt: uintptr(runtime.FieldByName("cRuntime").Uint()),
		tls: (*libc.TLS)(runtime.FieldByName("tls").UnsafePointer()), valueAt: field.Offset,
	}, nil
}

// value returns the value of the C library in a value, without a reference of its own.
func (r *Machine) value(v *quickjs.Value) lib.TJSValue {
	return *(*lib.TJSValue)(unsafe.Add(unsafe.Pointer(v), r.valueAt))
}

// scriptFlags have a cell run as a script with top-level await, whose variables can be deleted: those of a plain script
// cannot, and what is declared by let and const could never be declared again.
const scriptFlags = lib.MJS_EVAL_TYPE_INDIRECT | lib.MJS_EVAL_FLAG_ASYNC

// Compile compiles a source under a name, which traces have.
func (r *Machine) Compile(name, source string) ([]byte, error) {
	text, err := libc.CString(source)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", name, err)
	}
	defer libc.Xfree(r.tls, text)
	file, err := libc.CString(name)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", name, err)
	}
	defer libc.Xfree(r.tls, file)
	code := lib.XJS_Eval(r.tls, r.ctx, text, libc.Tsize_t(len(source)), file, scriptFlags|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if lib.XJS_HasException(r.tls, r.ctx) != 0 {
		lib.XFreeValue(r.tls, r.ctx, lib.XJS_GetException(r.tls, r.ctx))
		_, err := r.vm.Compile(source, scriptFlags) // again, for the error of the wrapper
		if err == nil {
			err = fmt.Errorf("compile %s: out of memory", name)
		}
		return nil, err
	}
	defer lib.XFreeValue(r.tls, r.ctx, code)
	size := int(unsafe.Sizeof(libc.Tsize_t(0)))
	length := r.tls.Alloc(size)
	defer r.tls.Free(size)
	bytes := lib.XJS_WriteObject(r.tls, r.ctx, length, code, lib.MJS_WRITE_OBJ_BYTECODE)
	if bytes == 0 {
		if lib.XJS_HasException(r.tls, r.ctx) != 0 {
			lib.XFreeValue(r.tls, r.ctx, lib.XJS_GetException(r.tls, r.ctx))
		}
		return nil, fmt.Errorf("compile %s: its code cannot be written", name)
	}
	defer lib.Xjs_free(r.tls, r.ctx, bytes)
	return append([]byte(nil), libc.GoBytes(bytes, int(*(*libc.Tsize_t)(at(length))))...), nil
}

// State returns the state of a promise.
func (r *Machine) State(promise *quickjs.Value) string {
	switch lib.XJS_PromiseState(r.tls, r.ctx, r.value(promise)) {
	case lib.EJS_PROMISE_PENDING:
		return "pending"
	case lib.EJS_PROMISE_FULFILLED:
		return "fulfilled"
	}
	return "rejected"
}

// DropJobs drops all callbacks of promises that wait to run: each is replaced by one that does nothing.
func (r *Machine) DropJobs() error {
	list := &(*lib.TJSRuntime)(at(r.rt)).Fjob_list
	for job := list.Fnext; job != uintptr(unsafe.Pointer(list)); job = (*lib.Tlist_head)(at(job)).Fnext {
		(*lib.TJSJobEntry)(at(job)).Fjob_func = functionPointer(noJob)
	}
	_, err := r.vm.ExecutePendingJobs()
	return err
}

// noJob is a job of the C library.
func noJob(tls *libc.TLS, ctx uintptr, _ int32, _ uintptr) lib.TJSValue {
	return lib.XNewInt32(tls, ctx, 0)
}

// Memory returns how much memory the machine has taken.
func (r *Machine) Memory() int64 {
	size := int(unsafe.Sizeof(lib.TJSMemoryUsage{}))
	usage := r.tls.Alloc(size)
	defer r.tls.Free(size)
	lib.XJS_ComputeMemoryUsage(r.tls, r.rt, usage)
	return int64((*lib.TJSMemoryUsage)(at(usage)).Fmalloc_size)
}

// Track has a function called with a promise, a reason and whether it is handled, for each that is rejected unhandled and
// for each that is handled later. The function must live as long as the machine.
func (r *Machine) Track(f *quickjs.Value) error {
	value := r.value(f)
	r.tracking = libc.Xmalloc(r.tls, libc.Tsize_t(unsafe.Sizeof(value)))
	if r.tracking == 0 {
		return errors.New("out of memory")
	}
	*(*lib.TJSValue)(at(r.tracking)) = value
	lib.XJS_SetHostPromiseRejectionTracker(r.tls, r.rt, functionPointer(noteRejection), r.tracking)
	return nil
}

// Close frees what Track has taken. The machine must be closed.
func (r *Machine) Close() {
	if r.tracking != 0 {
		libc.Xfree(r.tls, r.tracking)
	}
}

// noteRejection is called by the C library.
func noteRejection(tls *libc.TLS, ctx uintptr, promise, reason lib.TJSValue, handled int32, tracking uintptr) {
	f := *(*lib.TJSValue)(at(tracking))
	size := int(unsafe.Sizeof(f))
	args := tls.Alloc(3 * size)
	defer tls.Free(3 * size)
	for i, arg := range []lib.TJSValue{promise, reason, lib.XNewInt32(tls, ctx, handled)} {
		*(*lib.TJSValue)(at(args + uintptr(i*size))) = arg
	}
	result := lib.XJS_Call(tls, ctx, f, f, 3, args)
	if lib.XJS_HasException(tls, ctx) != 0 { // there was no memory for it
		lib.XFreeValue(tls, ctx, lib.XJS_GetException(tls, ctx))
		return
	}
	lib.XFreeValue(tls, ctx, result)
}

// functionPointer returns a function in the form in which the C library has pointers to functions.
func functionPointer(f any) uintptr {
	return (*[2]uintptr)(unsafe.Pointer(&f))[1]
}

// at returns a pointer into C memory, which the collector of Go leaves alone.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
