package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// measureWasm builds a program of all that the browser needs of the core.
func measureWasm(ctx context.Context, e *env) ([]row, error) {
	out := filepath.Join(e.dir, "core.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "./bench/wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return []row{{
		what: fmt.Sprintf("core for the browser, gzipped (%.1f MB raw)", float64(len(data))/1e6),
		got:  fmt.Sprintf("%.2f MB", float64(packed.Len())/1e6), limit: "< 1.2 MB", beside: "budget",
	}}, nil
}
