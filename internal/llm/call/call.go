// Package call makes requests to a service of language models and reads the responses, below the SDK of its dialect.
//
// An SDK gets the HTTP client of a [Call] and no credentials. The client adds the key to requests to the origin of the
// service, follows no redirect to another one, ends a response that is silent or too long, and reports every failure as
// an [assist.ModelError] whose text has no key. It does not repeat requests.
package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/redact"
)

// Bounds of a response, where a configuration has none.
const (
	defaultSilence   = 5 * time.Minute // a model on this machine may have to be loaded first
	defaultMaxLine   = 4 << 20
	defaultMaxStream = 64 << 20
)

// Config describes a service.
type Config struct {
	Provider string // the name of the provider, for failures
	URL      string // the base of the service's addresses
	Key      string // the credential; empty if the service wants none
	// Silence is the longest time in which the service may send no byte.
	Silence time.Duration
	// MaxLine and MaxStream bound a line of a stream and a whole response, in bytes.
	MaxLine, MaxStream int64
	// Transport sends the requests; [http.DefaultTransport] if nil.
	Transport http.RoundTripper
	// AfterFunc calls a function after a time, unless it is stopped before; [time.AfterFunc] if nil.
	AfterFunc func(time.Duration, func()) (stop func() bool)
	// Now is the clock; [time.Now] if nil.
	Now func() time.Time
}

// Service is a service that requests are made to. Its methods may be called by several goroutines at once.
type Service struct {
	config Config
	base   *url.URL
	header string // that has the key
	prefix string // of the key in it
	secret *redact.Text
}

// New returns the service of a configuration. The key is sent in a header, after a prefix.
func New(c Config, header, prefix string) (*Service, error) {
	base, err := ParseURL(c.URL)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", c.Provider, err)
	}
	s := &Service{config: withDefaults(c), base: base, header: header, prefix: prefix}
	if c.Key == "" {
		return s, nil
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("provider %s: the key has characters that no key has: store it again", c.Provider)
	}
	s.secret, err = redact.New(c.Key)
	if err != nil {
		return nil, fmt.Errorf("provider %s: the key is too long for one", c.Provider)
	}
	return s, nil
}

func withDefaults(c Config) Config {
	if c.Silence == 0 {
		c.Silence = defaultSilence
	}
	if c.MaxLine == 0 {
		c.MaxLine = defaultMaxLine
	}
	if c.MaxStream == 0 {
		c.MaxStream = defaultMaxStream
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	if c.AfterFunc == nil {
		c.AfterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// ParseURL parses the base of a service's addresses. Its errors have no part of the text, which may have a password.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL cannot be read: want one such as https://host/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL must have no password, query or fragment: a key is stored apart from it")
	}
	return u, nil
}

// URL returns the base of the service's addresses.
func (s *Service) URL() *url.URL { return s.base }

// Provider returns the name of the provider.
func (s *Service) Provider() string { return s.config.Provider }

// HasKey reports whether requests have a credential.
func (s *Service) HasKey() bool { return s.config.Key != "" }

// Stream begins a call whose response is a stream of lines. The caller must Close it.
func (s *Service) Stream(ctx context.Context) *Call { return s.begin(ctx, s.config.MaxLine) }

// Listing begins a call whose response is a description of models. The caller must Close it.
func (s *Service) Listing(ctx context.Context) *Call {
	c := s.begin(ctx, s.config.MaxStream)
	c.listing = true
	return c
}

func (s *Service) begin(ctx context.Context, maxLine int64) *Call {
	c := &Call{service: s, caller: ctx, maxLine: maxLine}
	c.Context, c.cancel = context.WithCancelCause(ctx)
	c.HTTP = &http.Client{Transport: (*transport)(c), CheckRedirect: c.checkRedirect}
	return c
}

// Call is one request to a service with its response. It belongs to one goroutine.
type Call struct {
	HTTP    *http.Client    // for the SDK
	Context context.Context // for the SDK; it ends with the call
	// Line changes a line of the stream before the SDK reads it, its end included; the line itself if nil.
	Line func([]byte) []byte

	service  *Service
	caller   context.Context
	cancel   context.CancelCauseFunc
	maxLine  int64
	listing  bool
	answered bool               // the service has begun a response without an error
	fault    *assist.ModelError // that ended the response
}

// errClosed is the cause of the context's end after a call.
var errClosed = errors.New("the call is over")

// Close cancels the rest of the call.
func (c *Call) Close() { c.cancel(errClosed) }

// GetJSON reads a JSON value from a path below the URL of the service.
func (c *Call) GetJSON(path string, value any) error {
	r, err := http.NewRequestWithContext(c.Context, http.MethodGet, c.service.base.JoinPath(path).String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := c.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(value)
}
