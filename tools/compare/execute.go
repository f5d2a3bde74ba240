package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// patience bounds one snippet.
const patience = 2 * time.Minute

// a way executes snippets.
type way struct {
	name      string
	quire     string
	args      []string
	reference *reference // executes instead of quire
}

// execute runs a snippet in a directory and a home of its own, and returns the output of each of
// its cells.
func (w way) execute(ctx context.Context, s snippet) ([][]string, error) {
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	work, home := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	for _, made := range []string{work, home} {
		if err := os.Mkdir(made, 0o700); err != nil {
			return nil, err
		}
	}
	in, out := filepath.Join(work, ".in.ipynb"), filepath.Join(dir, "out.ipynb")
	if err := writeBook(in, s.cells); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	env := append(os.Environ(), "HOME="+home, "TMPDIR="+dir, "SHELL=/bin/bash", "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONHASHSEED=0",
		"NO_COLOR=", "MPLCONFIGDIR="+filepath.Join(os.TempDir(), "compare-matplotlib"))
	if w.reference != nil {
		err = w.reference.execute(ctx, in, out, work, env)
	} else {
		err = w.run(ctx, in, out, work, env)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return results(data, work)
}

// run has quire execute a file.
func (w way) run(ctx context.Context, in, out, dir string, env []string) error {
	cmd := exec.CommandContext(ctx, w.quire, append([]string{"run", in, "-o", out, "--allow-errors"}, w.args...)...)
	cmd.Dir, cmd.Env = dir, env
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said))
	}
	return nil
}

func writeBook(path string, cells []string) error {
	type cell struct {
		ID       string         `json:"id"`
		Type     string         `json:"cell_type"`
		Source   string         `json:"source"`
		Outputs  []any          `json:"outputs"`
		Count    *int           `json:"execution_count"`
		Metadata map[string]any `json:"metadata"`
	}
	made := make([]cell, len(cells))
	for i, source := range cells {
		made[i] = cell{ID: fmt.Sprint("c", i), Type: "code", Source: source, Outputs: []any{}, Metadata: map[string]any{}}
	}
	data, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": made,
		"metadata": map[string]any{"language_info": map[string]any{"name": "python"}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// bareVenv creates an environment without installed packages, and returns its Python.
func bareVenv(ctx context.Context, python, dir string) (string, error) {
	out, err := exec.CommandContext(ctx, python, "-m", "venv", "--without-pip", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("make an environment: %w\n%s", err, out)
	}
	return filepath.Join(dir, "bin", "python"), nil
}
