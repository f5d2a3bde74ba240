package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/quirehq/quire/internal/pipehost"
)

// driverFile is the name of the descriptor with the driver, in the process.
const driverFile = "/dev/fd/5"

// startProcess starts an engine.
func startProcess(path string, config *Config) (*pipehost.Process, error) {
	cmd := command(path, config)
	return pipehost.Start(cmd, config.Start, config.Limits, connect(cmd, config))
}

// command returns the command of the engine, without pipes.
func command(path string, config *Config) *exec.Cmd {
	args := slices.Clone(config.Command)
	for i := range args {
		switch args[i] {
		case driverInline:
			args[i] = config.Driver
		case driverByFile:
			args[i] = driverFile
		}
	}
	environ := config.Env
	if environ == nil {
		environ = os.Environ()
	}
	return &exec.Cmd{
		Path: path, Args: append([]string{path}, args[1:]...), Dir: config.Dir,
		Env: append(slices.Clone(environ), "QUIRE_ENGINE_PIPES="+config.Pipes.String()),
	}
}

// fromDescriptor has a shell give a program descriptor 3 as its input: a starter gives none.
const fromDescriptor = `exec "$0" "$@" 0<&3 3<&-`

// connect makes the pipes of a command.
func connect(cmd *exec.Cmd, config *Config) *pipehost.Pipes {
	pipes := &pipehost.Pipes{}
	requests, messages := pipes.Requests(), pipes.Messages()
	cmd.Stderr = pipes.Err()
	if config.Pipes == Stdio {
		cmd.Stdout = messages
		if config.Start == nil {
			cmd.Stdin = requests
		} else {
			cmd.Path = "/bin/sh"
			cmd.Args = append([]string{"/bin/sh", "-c", fromDescriptor}, cmd.Args...)
			cmd.ExtraFiles = []*os.File{requests}
		}
		return pipes
	}
	cmd.Stdout = pipes.Out()
	cmd.ExtraFiles = []*os.File{requests, messages}
	if slices.Contains(config.Command, driverByFile) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, pipes.Give(fileOf(config.Driver)))
	}
	return pipes
}

// fileOf returns an open file with a content and no name.
func fileOf(content string) (*os.File, error) {
	file, err := os.CreateTemp("", "quire-driver-")
	if err != nil {
		return nil, err
	}
	_, writeErr := file.WriteString(content)
	_, seekErr := file.Seek(0, 0)
	if err := errors.Join(writeErr, seekErr, os.Remove(file.Name())); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("write the driver: %w", err)
	}
	return file, nil
}
