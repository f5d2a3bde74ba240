package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// answering returns an app that talks to a server with one answer to everything,
// and the requests that come to that.
func answering(t *testing.T, status int, body string) (*app, *[]string) {
	t.Helper()
	var requests []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests = append(requests, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Authorization"), string(data)}, " "))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return &app{config: settings.Config{Server: s.URL + "/", Token: "t"}, stdout: io.Discard, stderr: io.Discard}, &requests
}

func TestARequestCarriesTheTokenAndItsBody(t *testing.T) {
	a, requests := answering(t, http.StatusCreated, `{"id":"abc"}`)
	if err := a.newNotebook(t.Context(), "A title", false); err != nil {
		t.Fatal(err)
	}
	want := []string{`POST /api/notebooks Bearer t {"title":"A title"}`}
	if diff := cmp.Diff(want, *requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestTheExitCodeFollowsTheAnswer(t *testing.T) {
	for status, want := range map[int]int{
		http.StatusBadRequest:          exitUsage,
		http.StatusUnauthorized:        exitDenied,
		http.StatusForbidden:           exitDenied,
		http.StatusNotFound:            exitDenied,
		http.StatusConflict:            exitFailed,
		http.StatusMisdirectedRequest:  exitDenied,
		http.StatusTooManyRequests:     exitUnavailable,
		http.StatusInternalServerError: exitUnavailable,
		http.StatusBadGateway:          exitUnavailable,
	} {
		a, _ := answering(t, status, `{"detail":"because"}`)
		err := a.newNotebook(t.Context(), "x", false)
		wantCode(t, want, err)
		if detail := "make notebook: because"; err == nil || err.Error() != detail && (status != http.StatusUnauthorized || !strings.HasPrefix(err.Error(), detail+"; ")) {
			t.Errorf("%d: got %v, want the detail of the problem", status, err)
		}
	}
}

func TestAnAnswerThatIsNoneOfOursIsNamed(t *testing.T) {
	a, _ := answering(t, http.StatusBadGateway, "<html>")
	err := a.newNotebook(t.Context(), "x", false)
	wantCode(t, exitUnavailable, err)
	if !strings.Contains(err.Error(), "the server answered 502 Bad Gateway") {
		t.Errorf("got %v, want the status", err)
	}
	a, _ = answering(t, http.StatusCreated, "<html>")
	wantCode(t, exitUnavailable, a.newNotebook(t.Context(), "x", false))
}

func TestACommandThatIsInterruptedSaysNothingElse(t *testing.T) {
	a, _ := answering(t, http.StatusOK, "{}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.newNotebook(ctx, "x", false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of the context", err)
	}
}

func TestANotebookIsNamedByTheBeginningOfItsID(t *testing.T) {
	a, _ := answering(t, http.StatusOK, `{"notebooks":[{"id":"abc1"},{"id":"abd2"}]}`)
	c, err := a.client()
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.Resolve(t.Context(), "abc"); err != nil || id != "abc1" {
		t.Errorf("got %q, %v, want abc1", id, err)
	}
	for name, want := range map[string]int{"ab": exitUsage, "x": exitDenied, "": exitUsage} {
		_, err := c.Resolve(t.Context(), name)
		wantCode(t, want, err)
	}
}

// wantCode checks the code with which an error makes the process exit.
func wantCode(t *testing.T, want int, err error) {
	t.Helper()
	if got, ok := codeOf(err); !ok || got != want {
		t.Errorf("got %v, want an error with exit code %d", err, want)
	}
}
