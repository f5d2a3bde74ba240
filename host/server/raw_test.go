package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// raw sends the head of a request as it stands, and returns the status of the answer.
func (w *world) raw(t *testing.T, method, head string) int {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(soon(t), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	deadline, _ := soon(t).Deadline()
	_ = conn.SetDeadline(deadline)
	if _, err := fmt.Fprint(conn, head, "\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// served reports whether a request got through the gate.
func served(status int) bool {
	return status != http.StatusBadRequest && status != http.StatusMisdirectedRequest
}

func TestAC21NoFormOfAForeignNameReachesTheServer(t *testing.T) {
	w := newWorld(t)
	own := strings.TrimPrefix(w.url, "http://")
	_, port, _ := strings.Cut(own, ":")
	for host, want := range map[string]bool{
		own: true, "localhost:" + port: true, "LocalHost:" + port: true, "[::1]:" + port: true, "[0:0:0:0:0:0:0:1]:" + port: true,
		"127.255.255.254:" + port: true,

		"": false, ":" + port: false, "*:" + port: false, "127.0.0.1": false, "127.0.0.1:": false, "127.0.0.1:0" + port: false, "127.0.0.1:+" + port: false,
		"[::1%25lo]:" + port: false, "[::1%lo]:" + port: false, "::1:" + port: false, "[::]:" + port: false, "0:" + port: false, "0.0.0.0:" + port: false,
		"2130706433:" + port: false, "0x7f000001:" + port: false, "0177.0.0.1:" + port: false, "127.1:" + port: false, "127.0.0.256:" + port: false,
		"localhost.:" + port: false, "localhost.evil.example:" + port: false, "evil.example:" + port: false, "127.0.0.1.evil.example:" + port: false,
		"user@" + own: false, "evil.example@" + own: false, own + "@evil.example": false, own + ":80": false, own + ", evil.example": false, own + " evil.example": false,
		own + "/evil.example": false, own + "#.evil.example": false, own + "?.evil.example": false, own + `\.evil.example`: false, own + "\x00": false,
		"localhost%00:" + port: false, "localhost%2eevil.example:" + port: false, "ⅼocalhost:" + port: false, "localhost\xff:" + port: false,
	} {
		for _, version := range []string{"1.0", "1.1"} {
			if got := w.raw(t, "GET", "GET /api/health HTTP/"+version+"\r\nHost: "+host); served(got) != want {
				t.Errorf("HTTP/%s, %q: got %d, want it served: %v", version, host, got, want)
			}
		}
	}
}

func TestAC21AForeignNameInTheRequestLineReachesNothing(t *testing.T) {
	w := newWorld(t)
	own := strings.TrimPrefix(w.url, "http://")
	for _, test := range []struct {
		line  string
		hosts []string
		want  bool
	}{
		{"GET http://" + own + "/api/health HTTP/1.1", []string{own}, true},
		{"GET http://evil.example/api/health HTTP/1.1", []string{own}, false},
		{"GET https://evil.example/api/health HTTP/1.1", []string{own}, false},
		{"GET http://" + own + "@evil.example/api/health HTTP/1.1", []string{own}, false},
		{"GET //evil.example/api/health HTTP/1.1", []string{"evil.example"}, false},
		{"GET /api/health HTTP/1.0", nil, false},
		{"GET /api/health HTTP/1.1", nil, false},
		{"GET /api/health HTTP/1.1", []string{own, own}, false},
		{"GET /api/health HTTP/1.1", []string{own, "evil.example"}, false},
		{"GET /api/health HTTP/1.1", []string{"evil.example", own}, false},
		{"CONNECT evil.example:443 HTTP/1.1", []string{"evil.example:443"}, false},
		{"CONNECT evil.example:443 HTTP/1.1", []string{own}, false},
		{"CONNECT http://evil.example HTTP/1.1", []string{own}, false},
		{"OPTIONS * HTTP/1.1", []string{"evil.example"}, false},
		{"PRI * HTTP/2.0", []string{"evil.example"}, false},
	} {
		head := test.line
		for _, host := range test.hosts {
			head += "\r\nHost: " + host
		}
		method, _, _ := strings.Cut(head, " ")
		if got := w.raw(t, method, head); served(got) && got != http.StatusHTTPVersionNotSupported != test.want {
			t.Errorf("%q: got %d, want it served: %v", head, got, test.want)
		}
	}
	if got := w.raw(t, "CONNECT", "CONNECT "+own+" HTTP/1.1\r\nHost: "+own); got < 400 {
		t.Errorf("a tunnel to the server itself: got %d", got)
	}
}

func TestAC22TwoOriginsAreNone(t *testing.T) {
	w := newWorld(t)
	own := strings.TrimPrefix(w.url, "http://")
	head := "POST /api/links HTTP/1.1\r\nContent-Length: 0\r\nAuthorization: Bearer " + ownerToken + "\r\nHost: " + own
	origin := "\r\nOrigin: http://" + own
	if got := w.raw(t, "POST", head+origin); got != 201 {
		t.Errorf("got %d with the own origin, want 201", got)
	}
	for _, more := range []string{origin + origin, origin + "\r\nOrigin: http://evil.example", "\r\nOrigin: http://evil.example" + origin, origin + " http://evil.example"} {
		if got := w.raw(t, "POST", head+more); got != 403 {
			t.Errorf("%q: got %d, want 403", more, got)
		}
	}
}
