package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the server's figures for Prometheus. They belong to one server.
type Metrics struct {
	registry *prometheus.Registry
	rooms    prometheus.Gauge
	clients  prometheus.Gauge
	events   prometheus.Counter
	batches  prometheus.Counter
	commits  prometheus.Histogram
	requests *prometheus.CounterVec
	launches *prometheus.CounterVec
}

// NewMetrics returns figures that all are zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		rooms:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "quire_rooms", Help: "Open rooms."}),
		clients:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "quire_clients", Help: "Open sockets."}),
		events:   prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_events_total", Help: "Events that are on disk."}),
		batches:  prometheus.NewCounter(prometheus.CounterOpts{Name: "quire_batches_total", Help: "Batches of events that are on disk."}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "quire_commit_seconds", Help: "How long a commit to disk took.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quire_requests_total", Help: "Requests that were answered.",
		}, []string{"route", "status"}),
		launches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quire_launches_total", Help: "Runtimes that were asked for.",
		}, []string{"outcome"}),
	}
	m.registry.MustRegister(m.rooms, m.clients, m.events, m.batches, m.commits, m.requests, m.launches,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ObserveCommit counts a commit to disk. It is for the store to call, and may be
// called from any goroutine.
func (m *Metrics) ObserveCommit(batches, events int, took time.Duration) {
	m.batches.Add(float64(batches))
	m.events.Add(float64(events))
	m.commits.Observe(took.Seconds())
}

func (m *Metrics) request(route string, status int) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
}

func (m *Metrics) launch(err error) {
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
