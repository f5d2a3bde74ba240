// Package confine has a process give up what it does not need: files, sockets, programs and other processes. It is the
// second wall around interpreters that are a sandbox themselves: a fault of one of them opens nothing either.
//
// What is open already stays usable, and so do memory, threads and clocks. It needs Linux on amd64 or arm64.
package confine

import "errors"

// ErrUnsupported says that the system cannot confine a process.
var ErrUnsupported = errors.New("this system cannot confine a process")
