package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// crowd is a server with many clients in one notebook.
type crowd struct {
	conns     []protocol.Conn
	delivered atomic.Int64 // events
	frames    atomic.Int64
	acked     []chan time.Duration // of each client's own events
	sent      []atomic.Int64       // when, in nanoseconds since began
	began     time.Time
}

func newCrowd(b *testing.B, clients int) *crowd {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	st := newStore()
	s, err := server.New(server.Config{
		Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken,
		Upgrade: func(w http.ResponseWriter, r *http.Request) (protocol.Conn, error) {
			return ws.Accept(w, r, ws.Options{})
		},
		Limits: server.Limits{Requests: 1e6, Burst: 1e6, Messages: 1e6},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := st.CreateNotebook(b.Context(), directory.Notebook{ID: "b1", Title: "bench", Owner: "owner"}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })
	c := &crowd{began: time.Now(), sent: make([]atomic.Int64, clients)}
	for i := range clients {
		c.join(b, ctx, "http://"+ln.Addr().String(), i)
	}
	for i, conn := range c.conns {
		running.Go(func() { c.read(ctx, conn, i) })
	}
	b.Cleanup(func() {
		cancel()
		running.Wait()
		for _, conn := range c.conns {
			_ = conn.Close()
		}
	})
	return c
}

func (c *crowd) join(b *testing.B, ctx context.Context, url string, i int) {
	b.Helper()
	conn, err := ws.Dial(ctx, url+"/api/notebooks/b1/sync", ownerToken, ws.Options{})
	if err != nil {
		b.Fatal(err)
	}
	hello := fmt.Sprintf(`{"kind":"hello","version":%d,"client":"c%d"}`, protocol.Version, i)
	if err := conn.Send(ctx, []byte(hello)); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Receive(ctx); err != nil {
		b.Fatal(err)
	}
	c.conns = append(c.conns, conn)
	c.acked = append(c.acked, make(chan time.Duration, 1<<16))
}

// read counts messages without decoding them: the clients share the processors of the server.
func (c *crowd) read(ctx context.Context, conn protocol.Conn, i int) {
	own := fmt.Appendf(nil, `"id":"c%d.`, i)
	for {
		m, err := conn.Receive(ctx)
		if err != nil {
			return
		}
		c.frames.Add(1)
		c.delivered.Add(int64(bytes.Count(m, []byte(`"seq":`))))
		for range bytes.Count(m, own) {
			c.acked[i] <- time.Since(c.began) - time.Duration(c.sent[i].Load())
		}
	}
}

func (c *crowd) push(ctx context.Context, i, n int) error {
	c.sent[i].Store(int64(time.Since(c.began)))
	return c.conns[i].Send(ctx, fmt.Appendf(nil,
		`{"kind":"push","events":[{"id":"c%d.%d","type":"NotebookMetadataSet","payload":{"key":"a","value":"%s"}}]}`,
		i, n, strings.Repeat("x", 60)))
}

// BenchmarkFanOut has ten of a hundred clients keep events under way. An operation
// is one event, which all hundred get.
func BenchmarkFanOut(b *testing.B) {
	const writers, underWay = 10, 16
	for _, clients := range []int{10, 100} {
		b.Run(fmt.Sprintf("%d clients", clients), func(b *testing.B) {
			c := newCrowd(b, clients)
			ctx := b.Context()
			b.ResetTimer()
			var all sync.WaitGroup
			for i := range writers {
				all.Go(func() {
					share := b.N/writers + 1
					for n := range share {
						if n >= underWay {
							<-c.acked[i]
						}
						if err := c.push(ctx, i, n+1); err != nil {
							b.Error(err)
						}
					}
					for range min(share, underWay) {
						<-c.acked[i]
					}
				})
			}
			all.Wait()
			took := b.Elapsed().Seconds()
			b.ReportMetric(float64(c.delivered.Load())/took, "deliveries/s")
			b.ReportMetric(float64(c.delivered.Load())/float64(c.frames.Load()), "events/frame")
		})
	}
}

// BenchmarkKeystroke has one of many clients state an event at a time, and measures
// how long it takes to come back.
func BenchmarkKeystroke(b *testing.B) {
	for _, clients := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d clients", clients), func(b *testing.B) {
			c := newCrowd(b, clients)
			var all []time.Duration
			for n := range b.N {
				if err := c.push(b.Context(), 0, n+1); err != nil {
					b.Fatal(err)
				}
				all = append(all, <-c.acked[0])
				time.Sleep(5 * time.Millisecond)
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
		})
	}
}
