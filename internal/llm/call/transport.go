package call

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/quirehq/quire/core/assist"
)

const (
	// maxErrorBody bounds the bytes that are read of a response with an error.
	maxErrorBody = 64 << 10
	// maxRedirects bounds the redirects of a request.
	maxRedirects = 3
)

// transport sends the request of a call.
type transport Call

// RoundTrip implements [http.RoundTripper]. A response with an error is returned as one.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, s := (*Call)(t), t.service
	if origin(r.URL) != origin(s.base) {
		return nil, c.fail(assist.FailedRequest, 0, "a request to "+origin(r.URL)+" is refused: it is not the service's")
	}
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	if s.config.Key != "" {
		r.Header.Set(s.header, s.prefix+s.config.Key)
	}
	resp, err := c.send(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.readError(resp)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" && resp.StatusCode == http.StatusOK {
		return nil, errors.Join(c.fail(assist.FailedMalformed, 0, "the answer is a page of HTML: check the URL of the provider"), resp.Body.Close())
	}
	t.answered = true
	resp.Body = &body{call: c, source: resp.Body, change: c.Line}
	return resp, nil
}

// send sends a request, and ends it if the service is silent.
func (c *Call) send(r *http.Request) (*http.Response, error) {
	stop := c.watch()
	resp, err := c.service.config.Transport.RoundTrip(r)
	stop()
	if err != nil {
		return nil, c.broken(err)
	}
	return resp, nil
}

// errSilent is the cause of the end of a call to a silent service.
var errSilent = errors.New("the service is silent")

// watch ends the call unless the returned function is called in time.
func (c *Call) watch() (stop func() bool) {
	return c.service.config.AfterFunc(c.service.config.Silence, func() { c.cancel(errSilent) })
}

// readError reads the failure from a response.
func (c *Call) readError(resp *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(&body{call: c, source: resp.Body}, maxErrorBody))
	err = errors.Join(err, resp.Body.Close())
	if c.fault != nil && c.fault.Kind == assist.FailedUnreachable && len(text) == 0 {
		return err
	}
	f := c.service.failure(parseReport(text), resp.StatusCode)
	f.After = retryAfter(resp.Header, c.service.config.Now())
	if c.listing && f.Kind == assist.FailedModel {
		f.Kind, f.Err = assist.FailedRequest, errors.New("there is no list of models at "+resp.Request.URL.Redacted()+": check the URL of the provider")
	}
	c.fault = f
	return f
}

// checkRedirect refuses redirects that would take the conversation to another origin, or make another request of it.
func (c *Call) checkRedirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return c.fail(assist.FailedRequest, 0, "the service redirects again and again")
	case origin(r.URL) != origin(via[0].URL):
		return c.fail(assist.FailedRequest, 0, "the service redirects to "+origin(r.URL)+", which gets neither the key nor the conversation: if it is right, set it as the URL of the provider")
	case r.Method != via[0].Method:
		return c.fail(assist.FailedRequest, 0, "the service redirects to an address that takes no conversation: check the URL of the provider")
	}
	return nil
}

// origin returns the scheme, host and port of a URL.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}

// body is the body of a response within its bounds.
type body struct {
	call   *Call
	source io.ReadCloser
	change func([]byte) []byte // of lines; nil for none
	total  int64
	line   []byte // what was read of the current line, if lines are changed
	ready  []byte // changed lines that the SDK has not read
	length int64  // of the current line
	end    error
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if b.change == nil {
		return b.read(p)
	}
	for len(b.ready) == 0 {
		if b.end != nil {
			return 0, b.end
		}
		b.fill(p)
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// fill reads more lines, with p as the space.
func (b *body) fill(p []byte) {
	n, err := b.read(p)
	b.line = append(b.line, p[:n]...)
	for {
		i := bytes.IndexByte(b.line, '\n')
		if i < 0 {
			break
		}
		b.ready = append(b.ready, b.change(b.line[:i+1])...)
		b.line = b.line[i+1:]
	}
	if err != nil {
		b.ready = append(b.ready, b.change(b.line)...)
		b.line, b.end = nil, err
	}
}

// read reads from the source, within the bounds.
func (b *body) read(p []byte) (int, error) {
	c := b.call
	stop := c.watch()
	n, err := b.source.Read(p)
	stop()
	if err != nil && !errors.Is(err, io.EOF) {
		return n, c.broken(err)
	}
	if b.lengthOfLine(p[:n]) > c.maxLine {
		return 0, c.fail(assist.FailedMalformed, 0, fmt.Sprintf("a line of the response is longer than %d bytes", c.maxLine))
	}
	if b.total += int64(n); b.total > c.service.config.MaxStream {
		return 0, c.fail(assist.FailedMalformed, 0, fmt.Sprintf("the response is longer than %d bytes", c.service.config.MaxStream))
	}
	return n, err
}

// lengthOfLine counts bytes, and returns the length of the longest line that they are part of.
func (b *body) lengthOfLine(p []byte) int64 {
	longest := int64(0)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			b.length += int64(len(p))
			return max(longest, b.length)
		}
		longest = max(longest, b.length+int64(i))
		b.length, p = 0, p[i+1:]
	}
}

// Close implements [io.Closer].
func (b *body) Close() error { return b.source.Close() }
