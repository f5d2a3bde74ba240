package env

import (
	"errors"
	"fmt"
	"os"
)

// PIDFiles record the first processes of running programs, as names of empty files in a folder,
// from before the program runs until it has ended. If this process is killed, another ends the
// remaining programs by them: see [Sweep]. A nil one records none.
type PIDFiles struct{ dir, mark string }

// NewPIDFiles creates the folder. The mark has to be unique: it is in the environment of all
// programs, and identifies their processes.
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
	aloneFile  = "process" // with it all its descendants end, as in a namespace
	leaderFile = "session" // it leads a session
)
