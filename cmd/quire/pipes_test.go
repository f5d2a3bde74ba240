//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
)

// reads are the commands that read a file, which stands for FILE, with the kind of the file.
var reads = map[string][]string{
	"import":       {"import", "FILE", "--format", "ipynb"},
	"convert":      {"convert", "FILE", "out.md", "--from", "ipynb"},
	"run":          {"run", "FILE.py"},
	"a parameters": {"run", "x.py", "--params-file", "FILE"},
	"stdin":        {"import", "-"},
	"add":          {"add", "3f9a", "-"},
	"settings":     {"ls"},
}

func TestACommandThatWaitsForAPipeEndsWhenItIsAskedTo(t *testing.T) {
	quire, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range reads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe := filepath.Join(dir, "pipe")
			for _, file := range []string{pipe, pipe + ".py"} {
				if err := syscall.Mkfifo(file, 0o600); err != nil {
					t.Skip("there are no pipes with names here")
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "x.py"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(quire)
			for _, arg := range args {
				cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "FILE", pipe))
			}
			cmd.Args[0], cmd.Dir = "quire", dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "QUIRE_DATA="+filepath.Join(dir, "data"), "GORACE=atexit_sleep_ms=0")
			stdin, held, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = errors.Join(stdin.Close(), held.Close()) }()
			cmd.Stdin = stdin
			opened := make(chan *os.File, 1)
			if name == "settings" {
				cmd.Env = append(cmd.Env, "QUIRE_CONFIG="+pipe)
			}
			if name != "stdin" && name != "add" {
				go func() { // which waits until the command waits for data
					file := pipe
					if name == "run" {
						file += ".py"
					}
					w, _ := os.OpenFile(file, os.O_WRONLY, 0)
					opened <- w
				}()
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if name == "stdin" || name == "add" {
				_ = cmd.Process.Signal(syscall.SIGTERM) // before it reads, or while it does
			} else {
				defer func() {
					if w := <-opened; w != nil {
						_ = w.Close()
					}
				}()
				w := <-opened
				opened <- w
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
			err = cmd.Wait() // a test that does not end has failed
			var exit *exec.ExitError
			if name == "settings" { // nothing has begun that could end in order
				if !errors.As(err, &exit) {
					t.Errorf("got %v", err)
				}
				return
			}
			if errors.As(err, &exit) && exit.ExitCode() == -1 && (name == "stdin" || name == "add") {
				return // it was ended before it had begun
			}
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("got %v, want the exit code %d", err, exitInterrupted)
			}
		})
	}
}

func TestAFileOfParametersIsReadUpToABound(t *testing.T) {
	if _, err := cmdline.ParamsOf("/dev/zero", nil); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("got %v", err)
	}
}
