// Package scheme is an interpreter of Scheme as R7RS-small defines it (https://small.r7rs.org).
//
// An Interp keeps its definitions from one Eval to the next. Source is read with the line and column of every datum,
// expanded hygienically, compiled to instructions and executed by a machine with a stack of its own, so that tail calls
// take no space, continuations can be entered again, and deep recursion ends in an error of the program and not of the
// process. A program reaches nothing of the host but what a Config grants: no file, clock, environment or network. Its
// steps, its stack and its heap have bounds, and the end of a context stops it at its next call or iteration.
//
// What shows results, transports them and limits the time of a run is left to the caller.
package scheme
