package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// edited lets a person edit a file and returns what is in it then. The editor is a
// command line, as in "code --wait", so a shell reads it.
func (a *app) edited(ctx context.Context, file string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", a.config.Editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("editor %q: %w", a.config.Editor, err)
	}
	data, err := os.ReadFile(file)
	return string(data), err
}
