package env

import (
	"errors"
	"fmt"
	"os"
)

// PIDFiles say, as the names of empty files in a folder, with which processes of this
// machine programs began, from before a program runs until it has ended. Another process
// ends with them what is left when this one was killed: see [Sweep]. A nil one keeps none.
type PIDFiles struct{ dir, mark string }

// NewPIDFiles makes the folder. The mark is in the environment of all programs, and is to be
// like no other: by it a process is known to be theirs.
func NewPIDFiles(dir, mark string) (*PIDFiles, error) {
	if mark == "" {
		return nil, errors.New("what programs are known by is empty")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of PID files: %w", err)
	}
	return &PIDFiles{dir, mark}, nil
}

// markVariable is the variable with the mark.
const markVariable = "QUIRE_RUNTIME"

// environ returns the environment of a program with the mark.
func (p *PIDFiles) environ(env []string) []string {
	if p == nil {
		return env
	}
	if env == nil {
		env = os.Environ()
	}
	return append(env[:len(env):len(env)], markVariable+"="+p.mark)
}

// The kinds of PID files.
const (
	aloneFile  = "process" // it ends with all that it has started, as a namespace does
	leaderFile = "session" // it leads one
)
