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

// measureWasm builds the part of the core for browsers. The standard library is built without
// inlining, which makes the compressed file a tenth smaller.
func measureWasm(ctx context.Context, e *env) ([]row, error) {
	var rows []row
	for _, what := range []string{"session", "runtime"} {
		raw, packed, err := wasmSize(ctx, filepath.Join(e.dir, what+".wasm"), "./bench/wasm/"+what)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("core for the browser, %s, gzipped (%.1f MB raw)", what, float64(raw)/1e6),
			got:  fmt.Sprintf("%.2f MB", float64(packed)/1e6), limit: "< 1.2 MB", beside: "budget",
		})
	}
	return rows, nil
}

// wasmSize builds a program and returns its size, raw and in gzip.
func wasmSize(ctx context.Context, out, program string) (raw, packed int, err error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags=-s -w", "-o", out, program)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("build: %w: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return 0, 0, err
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	if _, err := w.Write(data); err != nil {
		return 0, 0, err
	}
	return len(data), buf.Len(), w.Close()
}
