package main

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/network"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// answers is the URL of a server that reads a request, says something and closes the connection.
func answers(t *testing.T, with string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c)) // unread data would reset the connection
			_, _ = io.WriteString(c, with)
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// unused is the URL of an address at which nothing listens, and no other program may by chance.
const unused = "http://127.0.0.1:1"

func TestAnAddressThatCannotBeListenedAtIsExplainedInWords(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for addr, want := range map[string]string{
		l.Addr().String(): "another program listens there",
		"192.0.2.1:0":     "it is no address of this machine",
	} {
		got, err := network.Network{}.Listen(addr, settings.NetworkConfig{})
		if err == nil {
			t.Errorf("%s: got %s, want an error", addr, got.Addr())
			_ = got.Close()
			continue
		}
		text := err.Error()
		if !strings.Contains(text, "serve: --addr "+addr+" cannot be listened at: "+want) || !strings.HasSuffix(text, "; choose another with --addr") {
			t.Errorf("%s: got %q, want it to say %q", addr, text, want)
		}
		if word := innerWords.FindString(text); word != "" {
			t.Errorf("got %q with the inner word %q", text, word)
		}
	}
}

func TestAServerThatIsNotReachedIsExplainedInWords(t *testing.T) {
	page := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("<html>"))
		}
	}
	serve := func(start func(*httptest.Server), status int) string {
		s := httptest.NewUnstartedServer(page(status))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		start(s)
		t.Cleanup(s.Close)
		return s.URL
	}
	web := serve((*httptest.Server).Start, http.StatusOK)
	for _, c := range []struct {
		name, server, want string
		code               int
	}{
		{"nothing listens", unused, "cannot be reached: nothing listens there", exitUnavailable},
		{"it speaks something else", answers(t, "220 mail.example.org\r\n"), "cannot be reached: it gives no answer that can be read", exitUnavailable},
		{"it hangs up", answers(t, ""), "cannot be reached: it closed the connection without an answer", exitUnavailable},
		{"it has no TLS", strings.Replace(web, "http:", "https:", 1), "cannot be reached: it does not speak TLS: an address with http:// may be meant", exitUnavailable},
		{"its certificate is its own", serve((*httptest.Server).StartTLS, http.StatusOK), "cannot be reached: this machine does not trust who signed its certificate", exitUnavailable},
		{"it is another program", web, `is no server of Quire: it says "OK"`, exitUnavailable},
		{"it is another program, which has no such page", serve((*httptest.Server).Start, http.StatusNotFound), `is no server of Quire: it says "404 Not Found"`, exitDenied},
		{"a proxy finds no server", serve((*httptest.Server).Start, http.StatusBadGateway), "the server answered 502 Bad Gateway", exitUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, stdout, stderr := offline()
			a.config.Data, a.config.Server = t.TempDir(), c.server
			if got := a.execute(t.Context(), []string{"ls"}); got != c.code || stdout.Len() > 0 {
				t.Errorf("got exit code %d and %q, want %d and nothing", got, stdout, c.code)
			}
			text := stderr.String()
			if !strings.HasSuffix(text, c.want+"\n") {
				t.Errorf("got %q, want it to end with %q", text, c.want)
			}
			if word := innerWords.FindString(text); word != "" {
				t.Errorf("got %q with the inner word %q", text, word)
			}
		})
	}
}
