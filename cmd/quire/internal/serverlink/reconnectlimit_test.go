package serverlink

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/protocol"
)

// looking is a runtime that looks for a server.
type looking struct {
	answer error // nil while there is a server
	dial   Dialer
}

func newLooking(limit time.Duration) *looking {
	l := new(looking)
	p := &ReconnectLimit{Limit: limit, Now: time.Now}
	l.dial = p.Dialer(func(context.Context) (protocol.Conn, error) { return nil, l.answer })
	return l
}

// try looks once, and reports whether the runtime gives up.
func (l *looking) try(t *testing.T) bool {
	t.Helper()
	_, err := l.dial(t.Context())
	var closed *protocol.Closed
	return errors.As(err, &closed) && closed.Code != protocol.CodeUnavailable
}

// every tries again and again, and returns after how long the runtime gave up.
func (l *looking) every(t *testing.T, pause, atMost time.Duration) (took time.Duration) {
	t.Helper()
	for began := time.Now(); time.Since(began) < atMost; time.Sleep(pause) {
		if l.try(t) {
			return time.Since(began)
		}
	}
	return atMost
}

var errRefused = errors.New("connection refused")

func TestARuntimeThatFindsNoServerForTooLongGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooking(10 * time.Minute)
		l.answer = errRefused
		if got := l.every(t, 2*time.Second, time.Hour); got < 10*time.Minute || got > 11*time.Minute {
			t.Errorf("it gave up after %v, want 10 minutes", got)
		}
	})
}

// The time of a connection is no time alone: a runtime that was connected for a day has
// all of its patience when its server restarts.
func TestTheTimeOfAConnectionIsNoTimeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooking(10 * time.Minute)
		for _, connected := range []time.Duration{11 * time.Minute, 24 * time.Hour, 400 * 24 * time.Hour} {
			l.answer = nil
			if l.try(t) {
				t.Fatal("it gave up although there was a server")
			}
			time.Sleep(connected)
			l.answer = errRefused
			if got := l.every(t, 2*time.Second, 9*time.Minute); got < 9*time.Minute {
				t.Errorf("connected for %v before, it gave up after %v", connected, got)
			}
		}
		if got := l.every(t, 2*time.Second, 5*time.Minute); got > 2*time.Minute {
			t.Errorf("it gave up %v later than it should", got)
		}
	})
}

// A process that was stopped has not looked for a server.
func TestTheTimeInWhichARuntimeWasStoppedIsNoTimeOfLooking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooking(10 * time.Minute)
		l.answer = errRefused
		l.every(t, 2*time.Second, time.Minute)
		time.Sleep(time.Hour) // it is frozen
		if got := l.every(t, 2*time.Second, 7*time.Minute); got < 7*time.Minute {
			t.Errorf("it gave up %v after it went on", got)
		}
	})
}

// A runtime that finds its server late, as it starts, has all of its patience then.
func TestAServerThatIsFoundLateBeginsThePatienceAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooking(10 * time.Minute)
		l.answer = errRefused
		l.every(t, 2*time.Second, 9*time.Minute)
		l.answer = nil
		l.try(t)
		l.answer = errRefused
		if got := l.every(t, 2*time.Second, 9*time.Minute); got < 9*time.Minute {
			t.Errorf("it gave up after %v", got)
		}
	})
}
