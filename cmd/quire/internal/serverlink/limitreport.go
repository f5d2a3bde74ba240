package serverlink

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

// maxReports bounds the reports that wait for the server.
const maxReports = 16

// reportAgain is the time between two attempts to report to a server that is away.
const reportAgain = 5 * time.Second

// LimitReports reports the limits that the programs of a runtime have hit to the server, which logs
// them. The runtime logs them as well, with those that the server did not get.
type LimitReports struct {
	post   func(context.Context, server.LimitHit) error
	logger *slog.Logger
	queue  chan server.LimitHit
}

// NewLimitReports returns reports that a function sends to the server.
func NewLimitReports(post func(context.Context, server.LimitHit) error, logger *slog.Logger) *LimitReports {
	return &LimitReports{post: post, logger: logger, queue: make(chan server.LimitHit, maxReports)}
}

// Add reports a limit to the server. It does not block: it drops a report when too many wait.
func (r *LimitReports) Add(hit server.LimitHit) {
	r.logger.Warn("limit hit", "run", hit.Run, "limit", hit.Limit, "value", hit.Value)
	select {
	case r.queue <- hit:
	default:
		r.logger.Warn("the server is not told of a limit: too many wait", "run", hit.Run, "limit", hit.Limit)
	}
}

// Start sends reports in the background until stop is called, which waits for its end.
func (r *LimitReports) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { r.run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// run sends reports until ctx ends, and then those that wait, once. A server that is away gets them
// later, and one that refuses a report does not get it again.
func (r *LimitReports) run(ctx context.Context) {
	for {
		select {
		case hit := <-r.queue:
			r.tell(ctx, hit)
		case <-ctx.Done():
			r.rest()
			return
		}
	}
}

func (r *LimitReports) tell(ctx context.Context, hit server.LimitHit) {
	for {
		err := r.post(ctx, hit)
		if err == nil {
			return
		}
		if !isAway(err) && ctx.Err() == nil {
			r.logger.Info("the server does not take a limit", "run", hit.Run, "limit", hit.Limit, "error", err)
			return
		}
		timer := time.NewTimer(reportAgain)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			r.last(hit)
			return
		}
	}
}

// lastReport bounds the time of the last report of a runtime that ends.
const lastReport = time.Second

func (r *LimitReports) rest() {
	for {
		select {
		case hit := <-r.queue:
			r.last(hit)
		default:
			return
		}
	}
}

// last sends a report once, as the runtime ends.
func (r *LimitReports) last(hit server.LimitHit) {
	ctx, cancel := context.WithTimeout(context.Background(), lastReport)
	defer cancel()
	if err := r.post(ctx, hit); err != nil {
		r.logger.Warn("the server was not told of a limit", "run", hit.Run, "limit", hit.Limit, "error", err)
	}
}

// isAway reports whether a server may take a report later that it did not take.
func isAway(err error) bool {
	var known *terminal.Error
	return !errors.As(err, &known) || known.Kind == terminal.Unavailable
}
