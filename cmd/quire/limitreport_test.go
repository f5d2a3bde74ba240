package main

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
)

func TestTheServerIsToldOfLimitsWhenItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		var away atomic.Bool
		away.Store(true)
		r := newLimitReports(func(_ context.Context, hit server.LimitHit) error {
			switch {
			case away.Load():
				return fail(exitUnavailable, "there is no server")
			case hit.Run == "refused":
				return fail(exitDenied, "the role owner may not do this")
			}
			told = append(told, string(hit.Run))
			return nil
		}, slog.New(slog.DiscardHandler))
		stop := inBackground(t.Context(), r.run)
		for _, run := range []event.RunID{"r1", "refused", "r2"} {
			r.add(server.LimitHit{Run: run, Limit: "memory", Value: "1 GiB"})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) > 0 {
			t.Errorf("got %q from a server that is away", told)
		}
		away.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.add(server.LimitHit{Run: "last", Limit: "memory", Value: "1 GiB"})
		stop()
		if want := []string{"r1", "r2", "last"}; !slices.Equal(told, want) {
			t.Errorf("got %q, want %q", told, want)
		}
	})
}

func TestLimitsThatWaitForTheServerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		r := newLimitReports(func(context.Context, server.LimitHit) error {
			tries++
			return fail(exitUnavailable, "there is no server")
		}, slog.New(slog.DiscardHandler))
		for i := range 10 * maxReports {
			r.add(server.LimitHit{Run: event.RunID(fmt.Sprint("r", i)), Limit: "memory", Value: "1 GiB"}) // blocks not
		}
		inBackground(t.Context(), r.run)() // ends though no server is there
		if tries < maxReports || tries > 2*maxReports {
			t.Errorf("it tried %d times, want each of the %d that waited once more", tries, maxReports)
		}
	})
}
