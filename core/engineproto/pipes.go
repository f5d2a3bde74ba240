package engineproto

import (
	"fmt"
	"io"
	"os"
)

// PipesVariable is the environment variable by which a host says which pipes it uses.
const PipesVariable = "QUIRE_ENGINE_PIPES"

// The values of [PipesVariable]. Nothing is the same as Stdio.
const (
	Stdio = "stdio" // requests on stdin, messages on stdout
	FDs   = "fds"   // requests on file descriptor 3, messages on 4
)

// Standard returns the pipes of this process, as the value of [PipesVariable] names them. A process without a host can
// use it too: with Stdio, a user can type the requests.
func Standard(named string) (Pipes, error) {
	abandon := func() { os.Exit(1) }
	switch named {
	case "", Stdio:
		return Pipes{Requests: os.Stdin, Messages: os.Stdout, Raw: []io.Writer{os.Stderr}, Abandon: abandon}, nil
	case FDs:
		requests, messages := os.NewFile(3, "requests"), os.NewFile(4, "messages")
		for _, file := range []*os.File{requests, messages} {
			if _, err := file.Stat(); err != nil {
				return Pipes{}, fmt.Errorf("%s=%s: %w", PipesVariable, FDs, err)
			}
		}
		return Pipes{Requests: requests, Messages: messages, Raw: []io.Writer{os.Stdout, os.Stderr}, Abandon: abandon}, nil
	}
	return Pipes{}, fmt.Errorf("%s=%q: want %s or %s", PipesVariable, named, Stdio, FDs)
}
