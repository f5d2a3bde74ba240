package server_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/signin"
)

// failingSessions are kept while there is space.
type failingSessions struct{ full atomic.Bool }

func (*failingSessions) Load() ([]signin.Session, error) { return nil, nil }

func (s *failingSessions) Save([]signin.Session) error {
	if s.full.Load() {
		return errors.New("no space left on device")
	}
	return nil
}

func TestAC25ALinkWithWhichASignInFailedIsGoodStill(t *testing.T) {
	sessions := &failingSessions{}
	w := newWorld(t, func(c *server.Config) { c.Sessions = sessions })
	link := w.Link()
	sessions.full.Store(true)
	w.do(t, request{method: "POST", path: link}).want(t, 500)
	sessions.full.Store(false)
	w.do(t, request{method: "POST", path: link}).want(t, 200)
	w.do(t, request{method: "POST", path: link}).want(t, 403)
}

// unwellStore is a store that may tell why it can store nothing.
type unwellStore struct {
	*store
	asked atomic.Int32
	err   error
}

func (s *unwellStore) Health() error {
	s.asked.Add(1)
	return s.err
}

func TestHealthSaysWhyNothingCanBeStored(t *testing.T) {
	for word, err := range map[string]error{
		"disk is full": fmt.Errorf("at /secret/place: %w", errors.Join(room.ErrFull, room.ErrUnavailable)),
		"was removed":  fmt.Errorf("at /secret/place: %w", room.ErrRemoved),
		"its log says": errors.New("at /secret/place"),
	} {
		logs := &unwellStore{store: newStore(), err: err}
		clock := newClock()
		w := newWorldOn(t, logs.store, clock.use, func(c *server.Config) { c.Logs = logs })
		for range 20 {
			a := w.do(t, request{method: "GET", path: "/api/health"}).want(t, 503)
			if !strings.Contains(a.body, word) || strings.Contains(a.body, "secret") {
				t.Errorf("got %s, want that it says %q and no more", a.body, word)
			}
		}
		if got := logs.asked.Load(); got != 1 {
			t.Errorf("the logs were asked %d times in one moment, want once", got)
		}
	}
}
