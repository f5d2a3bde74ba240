package serverlink

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

func TestTheServerIsToldOfLimitsWhenItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		var away atomic.Bool
		away.Store(true)
		r := NewLimitReports(func(_ context.Context, hit server.LimitHit) error {
			switch {
			case away.Load():
				return terminal.Fail(terminal.Unavailable, "there is no server")
			case hit.Run == "refused":
				return terminal.Fail(terminal.Denied, "the role owner may not do this")
			}
			told = append(told, string(hit.Run))
			return nil
		}, slog.New(slog.DiscardHandler))
		stop := r.Start(t.Context())
		for _, run := range []event.RunID{"r1", "refused", "r2"} {
			r.Add(server.LimitHit{Run: run, Limit: "memory", Value: "1 GiB"})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) > 0 {
			t.Errorf("got %q from a server that is away", told)
		}
		away.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.Add(server.LimitHit{Run: "last", Limit: "memory", Value: "1 GiB"})
		stop()
		if want := []string{"r1", "r2", "last"}; !slices.Equal(told, want) {
			t.Errorf("got %q, want %q", told, want)
		}
	})
}

func TestLimitsThatWaitForTheServerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		r := NewLimitReports(func(context.Context, server.LimitHit) error {
			tries++
			return terminal.Fail(terminal.Unavailable, "there is no server")
		}, slog.New(slog.DiscardHandler))
		for i := range 10 * maxReports {
			r.Add(server.LimitHit{Run: event.RunID(fmt.Sprint("r", i)), Limit: "memory", Value: "1 GiB"}) // blocks not
		}
		r.Start(t.Context())() // ends though no server is there
		if tries < maxReports || tries > 2*maxReports {
			t.Errorf("it tried %d times, want each of the %d that waited once more", tries, maxReports)
		}
	})
}
