package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/event"
)

// maxAnswer bounds the bytes of a server's answer that are read.
const maxAnswer = 64 << 10

// large is the size from which the server is asked for its consent first.
const large = 1 << 20

// The wait before an upload is tried again, which doubles each time.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 5 * time.Second
)

// Target is the address of a notebook's artifacts, with the credentials for it.
type Target struct {
	URL   string // such as https://host/api/notebooks/x/artifacts
	Token string // none if empty
	// Client is http.DefaultClient if nil. It should have no time limit for a whole request, because
	// a large artifact takes long.
	Client *http.Client
}

// Uploader puts artifacts into the store of a server over HTTP. It implements artifact.Store: while
// the server is away, or can store nothing, it tries again until the context ends.
type Uploader struct {
	// Target is called before each try, because a server may come back at another address. An
	// error says that there is none now.
	Target func() (Target, error)
}

// errAgain is an error after which an upload may succeed later.
type errAgain struct {
	error
	after time.Duration // if the server asked for it
}

// Put implements artifact.Store. It reads the content once for each try, so that the use of memory does
// not depend on its size.
func (u *Uploader) Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error) {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		a, err := u.try(ctx, r)
		var again *errAgain
		if !errors.As(err, &again) {
			return a, err
		}
		timer := time.NewTimer(max(wait, again.after))
		select {
		case <-ctx.Done():
			timer.Stop()
			return a, fmt.Errorf("given up while the server could not store it: %w", again.error)
		case <-timer.C:
		}
	}
}

func (u *Uploader) try(ctx context.Context, r io.ReadSeeker) (event.Artifact, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return event.Artifact{}, fmt.Errorf("read the content: %w", err)
	}
	target, err := u.Target()
	if err != nil {
		return event.Artifact{}, &errAgain{error: err}
	}
	source := &watched{r: r}
	// The transport would close a body that can be closed, and this one may be sent again.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.URL, io.NopCloser(source))
	if err != nil {
		return event.Artifact{}, fmt.Errorf("make request: %w", err)
	}
	req.ContentLength = size
	if size == 0 {
		req.Body = http.NoBody
	}
	if size > large {
		req.Header.Set("Expect", "100-continue") // a server can refuse it before it is sent
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	if target.Token != "" {
		req.Header.Set("Authorization", "Bearer "+target.Token)
	}
	a, err := send(target.Client, req)
	if source.failed != nil {
		return a, fmt.Errorf("read the content: %w", source.failed)
	}
	if err == nil && a.Size != size {
		return a, fmt.Errorf("the server stored %d of %d bytes", a.Size, size)
	}
	return a, err
}

// watched is a reader that remembers its error, which is not one of the server.
type watched struct {
	r      io.Reader
	failed error
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.failed = err
	}
	return n, err
}

func send(client *http.Client, req *http.Request) (event.Artifact, error) {
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return event.Artifact{}, req.Context().Err()
		}
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err
		}
		return event.Artifact{}, &errAgain{error: err}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return event.Artifact{}, &errAgain{error: err}
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return event.Artifact{}, refusal(resp, answer)
	}
	var a event.Artifact
	if err := json.Unmarshal(answer, &a); err != nil {
		return a, fmt.Errorf("unexpected answer: %w", err)
	}
	return a, a.Check()
}

// refusal returns the reason why a server stored nothing. A temporary one is an errAgain.
func refusal(resp *http.Response, answer []byte) error {
	var problem struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(answer, &problem) != nil || problem.Detail == "" {
		problem.Detail = "the server answered " + resp.Status
	}
	err := errors.New(problem.Detail)
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return &errAgain{error: err, after: min(time.Duration(seconds)*time.Second, time.Minute)}
	}
	return err
}
