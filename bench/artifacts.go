package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"
)

// measureArtifacts uploads artifacts to a server and downloads them, beside the same bytes written
// to a file with a sync, and that file from a plain file server.
func measureArtifacts(ctx context.Context, e *env) ([]row, error) {
	s, _, err := startServer(ctx, e, "artifacts")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.stop() }()
	book, err := s.notebook(ctx)
	if err != nil {
		return nil, err
	}
	files := httptest.NewServer(http.FileServer(http.Dir(e.dir)))
	defer files.Close()
	var rows []row
	for _, size := range []int{5 << 20, e.scale(200) << 20} {
		more, err := measureArtifact(ctx, s, book, e.dir, files.URL, size)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// artifactRounds is the number of rounds for each figure; the best counts, since a shared disk is
// slower at times and never faster.
const artifactRounds = 5

func measureArtifact(ctx context.Context, s *server, book, dir, files string, size int) ([]row, error) {
	data := make([]byte, size)
	source := rand.NewChaCha8([32]byte{1})
	var up, down, write, read, hash time.Duration
	before, peak := s.rss(), 0
	for range artifactRounds {
		_, _ = source.Read(data) // new bytes each time: equal ones are stored once
		path := "/api/notebooks/" + book + "/artifacts"
		steps := []struct {
			best *time.Duration
			do   func() error
		}{
			{&write, func() error { return writeSynced(filepath.Join(dir, "bare"), data) }},
			{&read, func() error { return s.download(ctx, files+"/bare", size) }},
			{&hash, func() error { _ = sha256.Sum256(data); return nil }},
			{&up, func() error { return s.upload(ctx, s.url+path, data) }},
			{&down, func() error { return s.download(ctx, s.url+path+"/"+hashOf(data), size) }},
		}
		for _, step := range steps {
			start := time.Now()
			if err := step.do(); err != nil {
				return nil, err
			}
			if took := time.Since(start); *step.best == 0 || took < *step.best {
				*step.best = took
			}
			peak = max(peak, s.rss())
		}
	}
	what := fmt.Sprintf("artifact of %d MiB", size>>20)
	return []row{
		{what: what + " up, durable", got: rateOf(size, up), limit: rateOf(size, write), beside: "a file, synced; SHA-256 alone " + rateOf(size, hash)},
		{what: what + " down", got: rateOf(size, down), limit: rateOf(size, read), beside: "the file from net/http alone"},
		{what: what + ": the server grows by", got: fmt.Sprintf("%.1f MiB", float64(peak-before)/1024), limit: "< 8 MiB", beside: "budget: flat"},
	}, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func rateOf(size int, took time.Duration) string {
	return fmt.Sprintf("%.1f ms (%.0f MB/s)", took.Seconds()*1e3, float64(size)/1e6/took.Seconds())
}

// writeSynced copies bytes into a file, with the durability of the server.
func writeSynced(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(data))
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *server) upload(ctx context.Context, url string, data []byte) error {
	resp, err := s.send(ctx, "POST", url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var made struct{ Hash string }
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil || made.Hash == "" {
		return fmt.Errorf("upload: %s (%w)", resp.Status, err)
	}
	return nil
}

func (s *server) download(ctx context.Context, url string, size int) error {
	resp, err := s.send(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && n != int64(size) {
		err = fmt.Errorf("download: %s with %d bytes, want %d", resp.Status, n, size)
	}
	return err
}

func (s *server) send(ctx context.Context, method, url string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	return http.DefaultClient.Do(req)
}
