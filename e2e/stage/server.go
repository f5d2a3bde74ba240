package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Server is how a server is asked, whatever is in front of it.
type Server struct {
	Addr  string // host and port
	Token string // of its owner
}

// Request makes a request on a connection of its own: the next server at the address
// must not be asked on one to this. An answer of 300 and more is an error.
func (s *Server) Request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode >= 300 {
		_ = resp.Body.Close() // the status is what counts
		return nil, fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, err
}

// Create makes a notebook and returns its id.
func (s *Server) Create(t testing.TB) string {
	t.Helper()
	resp, err := s.Request(t.Context(), "POST", "/api/notebooks", []byte(`{"title":"test"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}
