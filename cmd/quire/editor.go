package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"unicode/utf8"
)

// What a shell ends with when there is no such command, or it cannot be executed.
const (
	shellCannot  = 126
	shellUnknown = 127
)

// edited lets a person edit a file and returns what is in it then. The editor is a
// command line, as in "code --wait", so a shell reads it.
func (a *app) edited(ctx context.Context, file string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", a.config.Editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("editor %q %s", a.config.Editor, editorReason(err))
	}
	data, err := readNamed(file, mostNotebook)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("the source is not UTF-8: have the editor save it as that")
	}
	return string(data), err
}

// editorReason says why an editor has not edited.
func editorReason(err error) string {
	var end *exec.ExitError
	switch {
	case !errors.As(err, &end):
		return "cannot be started: " + err.Error()
	case end.ExitCode() == shellUnknown, end.ExitCode() == shellCannot:
		return "cannot be started: set VISUAL or EDITOR to one that can"
	case end.ExitCode() >= 0:
		return fmt.Sprintf("ended with exit code %d, and nothing was changed", end.ExitCode())
	}
	return "was killed, and nothing was changed"
}
