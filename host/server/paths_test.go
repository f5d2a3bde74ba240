package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoPathLeadsOutOfWhatIsServed has paths that no client sends by itself, beside a file
// that lies next to the artifacts.
func TestNoPathLeadsOutOfWhatIsServed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withArtifacts(t, filepath.Join(dir, "artifacts")))
	w.book("b1")
	w.book("b2")
	foreign := w.upload(t, "b2", png)
	for _, path := range []string{
		"/../secret", "/../../../../../../etc/passwd", "/assets/../../secret", "/assets/%2e%2e/%2e%2e/secret", "/assets/..%2f..%2fsecret", "/assets/..%5c..%5csecret",
		`/assets/..\..\secret`, "/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/assets/./../secret", "/assets/.../secret", "/assets/index-1.js/../../secret",
		"/assets/index-1.js%00.css", "/assets/%c0%ae%c0%ae/secret", "/assets/%252e%252e/secret", "/..%2fsecret", "/%2e%2e/secret", "/.%2e/secret", "/frame/../../secret",
		"/api/notebooks/b1/artifacts/..%2f..%2fsecret", "/api/notebooks/b1/artifacts/%2e%2e", "/api/notebooks/b1/artifacts/..%2fsecret",
		"/api/notebooks/b1/artifacts/..%2f..%2fb2%2f" + foreign.Hash, "/api/notebooks/b1/artifacts/" + foreign.Hash, "/api/notebooks/b1/../b2/artifacts/%2e%2e",
		"/api/notebooks/b1/artifacts/" + strings.ToUpper(foreign.Hash), "/api/notebooks/b1/artifacts/" + foreign.Hash[:63], "/api/notebooks/..%2f..%2fsecret",
		"/artifacts/../secret", "/artifacts/..%2fsecret", "/exports/..%2fsecret", "file:///etc/passwd", "/nb/b1/../../secret",
	} {
		status, body := w.rawGet(t, path)
		if strings.Contains(body, "precious") || strings.Contains(body, "root:") || strings.Contains(body, png) {
			t.Errorf("%s: got %d with what is not served: %.200s", path, status, body)
		}
		if status < 300 || status >= 500 {
			t.Errorf("%s: got %d, want it refused", path, status)
		}
	}
}

// rawGet asks as the owner for a path as it stands.
func (w *world) rawGet(t *testing.T, path string) (status int, body string) {
	t.Helper()
	own := strings.TrimPrefix(w.url, "http://")
	conn, err := new(net.Dialer).DialContext(soon(t), "tcp", own)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	deadline, _ := soon(t).Deadline()
	_ = conn.SetDeadline(deadline)
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", path, own, ownerToken); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return resp.StatusCode, string(data)
}
