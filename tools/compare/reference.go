package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

//go:embed reference.py
var referenceProgram string

// reference executes notebooks with ipykernel, one at a time, in a program that is started when
// first used.
type reference struct {
	python string

	mu  sync.Mutex
	cmd *exec.Cmd // nil until it is started
	in  io.WriteCloser
	out *bufio.Reader
}

// execute runs the notebook of a file in a directory and writes it with its outputs.
func (r *reference) execute(ctx context.Context, in, out, dir string, env []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.startLocked(ctx); err != nil {
		return err
	}
	variables := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	request, err := json.Marshal(map[string]any{"in": in, "out": out, "dir": dir, "env": variables})
	if err != nil {
		return err
	}
	if _, err := r.in.Write(append(request, '\n')); err != nil {
		return fmt.Errorf("ask ipykernel: %w", err)
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("hear of ipykernel: %w", err)
	}
	var said string
	if err := json.Unmarshal(line, &said); err != nil {
		return err
	}
	if said != "" {
		return errors.New(said)
	}
	return nil
}

func (r *reference) startLocked(ctx context.Context) error {
	if r.cmd != nil {
		return nil
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), r.python, "-c", referenceProgram) // used for later notebooks too
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd, r.in, r.out = cmd, in, bufio.NewReader(out)
	return nil
}

// close ends the program.
func (r *reference) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd != nil {
		_ = r.in.Close()
		_ = r.cmd.Wait()
	}
}
