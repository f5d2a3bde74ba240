package server

import (
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/quirehq/quire/core/replica"
)

// maxBuckets is how many clients are counted at once.
const maxBuckets = 10_000

// Failed attempts to sign in that one address may make: so many at once, and then
// one in so many seconds.
const (
	failBurst = 20
	failEvery = 3
)

// limits count what clients do.
type limits struct {
	requests *buckets // by principal
	failures *buckets // by address
}

func newLimits(cfg Config) *limits {
	return &limits{
		requests: newBuckets(rate.Limit(cfg.Limits.Requests), cfg.Limits.Burst, cfg.Now),
		failures: newBuckets(rate.Limit(1.0/failEvery), failBurst, cfg.Now),
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

// sweepLocked forgets those who did nothing of late, since a full bucket says no
// more than none. If all are busy it forgets all of them.
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

// take takes one token, if there is one.
func (b *buckets) take(key string) bool { return b.bucket(key).AllowN(b.now(), 1) }

// empty reports whether there is none, and takes none.
func (b *buckets) empty(key string) bool { return b.bucket(key).TokensAt(b.now()) < 1 }

// addressOf returns where a request comes from, without the port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// tooMany is the answer to more requests than allowed.
func tooMany(w http.ResponseWriter, detail string) error {
	w.Header().Set("Retry-After", "3")
	return problemWith(http.StatusTooManyRequests, replica.CodeUnavailable, detail)
}
