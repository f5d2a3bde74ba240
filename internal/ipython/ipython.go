// Package ipython has the code that makes magics of IPython fail where they print an
// error and return, and lose no output. It is executed in the process of IPython, by the
// engine of Python and in kernels of Python alike. What the magics do otherwise is theirs.
package ipython

import _ "embed"

//go:embed failing.py
var failing string

//go:embed lines.py
var lines string

// Failing returns a Python module whose install(shell) has magics raise the errors that
// they would print.
func Failing() string { return failing }

// Lines returns a Python module whose install() has %%script and its like read lines of any
// length. Those of asyncio's streams have 64 KiB at most
// (docs.python.org/3/library/asyncio-stream.html, limit).
func Lines() string { return lines }
