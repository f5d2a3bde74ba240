package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets is the number of clients that are counted at once.
const maxBuckets = 10_000

// Failed attempts to sign in that one address may make: a burst, and then one in so many seconds.
const (
	failBurst = 20
	failEvery = 3
)

// rateLimits limit the rates of clients.
type rateLimits struct {
	requests *buckets // by principal
	failures *buckets // by address
	joins    *buckets // by principal and notebook
	rejoins  *buckets // likewise, after a short socket
}

func newRateLimits(cfg Config) *rateLimits {
	return &rateLimits{
		requests: newBuckets(rate.Limit(cfg.Limits.Requests), cfg.Limits.Burst, cfg.Now),
		failures: newBuckets(rate.Limit(1.0/failEvery), failBurst, cfg.Now),
		joins:    newBuckets(rate.Limit(cfg.Limits.Joins), cfg.Limits.JoinBurst, cfg.Now),
		rejoins:  newBuckets(rate.Limit(cfg.Limits.Rejoins), cfg.Limits.RejoinBurst, cfg.Now),
	}
}

// buckets are token buckets by key.
type buckets struct {
	rate  rate.Limit
	burst int
	now   func() time.Time

	mu sync.Mutex
	of map[string]*rate.Limiter
}

func newBuckets(r rate.Limit, burst int, now func() time.Time) *buckets {
	return &buckets{rate: r, burst: burst, now: now, of: map[string]*rate.Limiter{}}
}

// bucket returns the one of a key.
func (b *buckets) bucket(key string) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.of[key]
	if l == nil {
		if len(b.of) >= maxBuckets {
			b.sweepLocked()
		}
		l = rate.NewLimiter(b.rate, b.burst)
		b.of[key] = l
	}
	return l
}

// sweepLocked drops clients that have been idle: a full bucket is the same as none. If all are
// busy it drops all.
func (b *buckets) sweepLocked() {
	for key, l := range b.of {
		if l.TokensAt(b.now()) >= float64(b.burst) {
			delete(b.of, key)
		}
	}
	if len(b.of) >= maxBuckets {
		clear(b.of)
	}
}

// take takes a token, if there is one.
func (b *buckets) take(key string) bool { return b.bucket(key).AllowN(b.now(), 1) }

// wait returns the time until there is a token, 0 if there is one.
func (b *buckets) wait(key string) time.Duration {
	lacks := 1 - b.bucket(key).TokensAt(b.now())
	return time.Duration(max(lacks, 0) / float64(b.rate) * float64(time.Second))
}

// joinsOf returns the key by which the joins of a principal to a notebook are counted.
func joinsOf(c *call) string { return c.who.Key() + "/" + c.book.ID }

// waitToJoin returns the time after which a principal may open the next socket to a notebook. If
// that is 0, it counts the socket.
func (l *rateLimits) waitToJoin(c *call, opens bool) time.Duration {
	key := joinsOf(c)
	if wait := l.rejoins.wait(key); wait > 0 || opens && l.joins.take(key) {
		return wait
	}
	return l.joins.wait(key)
}

// shortSocket is the life of a socket below which its end counts: joining costs a room far more
// than staying, and a client that joins again and again would slow down all others.
const shortSocket = 10 * time.Second

// joined returns a function that the end of a socket calls.
func (l *rateLimits) joined(c *call) (left func()) {
	began := l.rejoins.now()
	return func() {
		if l.rejoins.now().Sub(began) < shortSocket {
			l.rejoins.take(joinsOf(c))
		}
	}
}
