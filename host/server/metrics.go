package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the figures of one server for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	rooms    prometheus.Gauge
	clients  prometheus.Gauge
	events   prometheus.Counter
	batches  prometheus.Counter
	commits  prometheus.Histogram
	requests *prometheus.CounterVec
	launches *prometheus.CounterVec
	behind   prometheus.Counter

	received, sent, collected prometheus.Counter // artifacts
}

// NewMetrics returns metrics that are zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		rooms:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "quire_rooms", Help: "Open rooms."}),
		clients:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "quire_clients", Help: "Open sockets."}),
		events:   prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_events_total", Help: "Committed events."}),
		batches:  prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_batches_total", Help: "Committed batches of events."}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "quire_commit_seconds", Help: "Duration of commits.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quire_requests_total", Help: "Answered requests.",
		}, []string{"route", "status"}),
		launches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quire_launches_total", Help: "Launches of runtimes.",
		}, []string{"outcome"}),
		behind: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "quire_members_behind_total", Help: "Full outboxes of sockets, which then go on from the log or have to connect again.",
		}),
	}
	m.received = prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_artifact_bytes_received_total", Help: "Bytes of uploaded artifacts."})
	m.sent = prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_artifact_bytes_sent_total", Help: "Bytes of downloaded artifacts."})
	m.collected = prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_artifacts_collected_total", Help: "Removed artifacts that no log mentioned."})
	m.registry.MustRegister(m.received, m.sent, m.collected)
	m.registry.MustRegister(m.rooms, m.clients, m.events, m.batches, m.commits, m.requests, m.launches, m.behind,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ObserveCommit counts a commit to disk. The storage calls it, from any goroutine.
func (m *Metrics) ObserveCommit(batches, events int, took time.Duration) {
	m.batches.Add(float64(batches))
	m.events.Add(float64(events))
	m.commits.Observe(took.Seconds())
}

// queue is a [Logs] whose writes wait in a queue.
type queue interface {
	// Queued returns the number of waiting writes, and the number from which callers block.
	Queued() (waiting, capacity int)
}

// observeQueue reports the state of a queue at each scrape. A server calls it once.
func (m *Metrics) observeQueue(q queue) error {
	return errors.Join(
		m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quire_writes_queued", Help: "Writes that wait for the disk.",
		}, func() float64 { waiting, _ := q.Queued(); return float64(waiting) })),
		m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quire_writes_capacity", Help: "Waiting writes from which rooms wait too.",
		}, func() float64 { _, capacity := q.Queued(); return float64(capacity) })),
	)
}

// observeAnswers reports the memory of answers at each scrape. A server calls it once.
func (m *Metrics) observeAnswers(s *budget) error {
	return m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "quire_answer_bytes", Help: "Memory reserved for answers made of whole notebooks.",
	}, func() float64 { return float64(s.answerBytes()) }))
}

func (m *Metrics) request(route string, status int) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
}

func (m *Metrics) launched(err error) {
	outcome := "started"
	if err != nil {
		outcome = "failed"
	}
	m.launches.WithLabelValues(outcome).Inc()
}

func (s *Server) metrics() endpoint {
	h := promhttp.HandlerFor(s.cfg.Metrics.registry, promhttp.HandlerOpts{})
	return endpoint{status: http.StatusOK, gives: "text/plain", serve: func(c *call) error {
		h.ServeHTTP(c.w, c.r)
		return nil
	}}
}
