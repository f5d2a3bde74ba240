package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

// server is a real quire serve on a data directory of its own.
type server struct {
	cmd   *exec.Cmd
	dir   string
	url   string
	token string
	log   bytes.Buffer
}

// startServer starts a server and waits until it answers.
func startServer(ctx context.Context, e *env, name string) (*server, time.Duration, error) {
	s := &server{dir: filepath.Join(e.dir, name)}
	s.cmd = exec.Command(e.binary, "serve", "--addr", "127.0.0.1:0", "--data", s.dir)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	start := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, 0, fmt.Errorf("start %s: %w (make build makes it)", e.binary, err)
	}
	for ctx.Err() == nil && time.Since(start) < 10*time.Second {
		if s.found() == nil && s.request(ctx, "GET", "/api/health", nil, nil) == nil {
			return s, time.Since(start), nil
		}
		time.Sleep(500 * time.Microsecond)
	}
	s.stop()
	return nil, 0, fmt.Errorf("the server does not answer: %s", s.log.String())
}

// found reads the address of the server from its file.
func (s *server) found() error {
	data, err := os.ReadFile(filepath.Join(s.dir, "server.json"))
	if err != nil {
		return err
	}
	var f struct{ URL, Token string }
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	s.url, s.token = f.URL, f.Token
	return nil
}

// request sends a request with a JSON body and reads a JSON answer.
func (s *server) request(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// notebook creates a notebook and returns its id.
func (s *server) notebook(ctx context.Context) (string, error) {
	var made struct{ ID string }
	err := s.request(ctx, "POST", "/api/notebooks", map[string]string{"title": "bench"}, &made)
	return made.ID, err
}

// connect opens a connection to a notebook's room.
func (s *server) connect(ctx context.Context, notebook string) (protocol.Conn, error) {
	return ws.Dial(ctx, s.url+"/api/notebooks/"+notebook+"/sync", s.token, ws.Options{})
}

// cpu returns the processor time of the server.
func (s *server) cpu() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// rss returns the server's resident memory in KiB.
func (s *server) rss() int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// stop ends the server and waits for it.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the server ended with %s: %s", exit, s.log.String())
	}
	return err
}
