// Package ipython has the Python code that makes magics of IPython fail where they would print an
// error and return, and keeps long lines of output. The engine of Python and kernels of Python
// execute it in the process of IPython. The work of the magics is unchanged. It also tells what a
// program of Python lacked by the text of its error.
package ipython

import _ "embed"

//go:embed failing.py
var failing string

//go:embed lines.py
var lines string

// Failing returns a Python module whose install(shell) has magics raise the errors that
// they would print.
func Failing() string { return failing }

// Lines returns a Python module whose install() has %%script and its like read lines of any length.
// asyncio's streams limit them to 64 KiB (docs.python.org/3/library/asyncio-stream.html, limit).
func Lines() string { return lines }
