//go:build linux

package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// asset matches the files of the page that its HTML names.
var asset = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// signInForm is what the page has for a browser that is not signed in.
const signInForm = `action="/login"`

// visit opens the page of the notebook as a browser does: it signs in, and gets the HTML,
// the assets and the cells that are shown first. It tries again for as long as the server
// is away, or says that it is not ready. What is answered at all has to be whole. Then it
// connects, and gets the notebook.
func (b *book) visit(ctx context.Context) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Transport: &tab{Transport: http.Transport{DisableKeepAlives: true}}}
	b.mu.Lock()
	b.visits++
	id := event.ClientID(fmt.Sprintf("page-%d", b.visits))
	b.mu.Unlock()
	for ctx.Err() == nil {
		again, err := b.load(ctx, browser)
		if err != nil {
			return fmt.Errorf("open the page: %w", err)
		}
		if !again {
			c := b.connect(id)
			err := c.Wait(ctx, func(r *replica.Replica) bool { return r.Online() && r.View().Cell(common) != nil })
			b.play.tally.visited()
			return errors.Join(ignoreEnd(err), c.end())
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// tab sends what the page keeps of a sign-in.
type tab struct {
	http.Transport
	half string
}

// half matches the page's half of a sign-in.
var half = regexp.MustCompile(` data-half="([^"]+)"`)

// RoundTrip implements [http.RoundTripper].
func (t *tab) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Quire-Key", t.half)
	return t.Transport.RoundTrip(r)
}

// load loads the page once, and reports whether that is to be tried again.
func (b *book) load(ctx context.Context, browser *http.Client) (again bool, err error) {
	page, again, err := b.get(ctx, browser, "/nb/"+b.id)
	if err != nil || again {
		return again, err
	}
	if strings.Contains(page, signInForm) { // there is a link for that, good for one server
		return true, b.signIn(ctx, browser)
	}
	if !strings.Contains(page, "</html>") {
		return false, fmt.Errorf("the page is cut off after %d bytes", len(page))
	}
	for _, found := range asset.FindAllStringSubmatch(page, -1) {
		if _, again, err := b.get(ctx, browser, found[1]); err != nil || again {
			return again, err
		}
	}
	first, again, err := b.get(ctx, browser, "/api/notebooks/"+b.id+"/view?cells=5")
	if err == nil && !again && !json.Valid([]byte(first)) {
		err = fmt.Errorf("the first cells are no JSON: %.200q", first)
	}
	return again, err
}

// signIn signs the browser in. A server that is away is no error.
func (b *book) signIn(ctx context.Context, browser *http.Client) error {
	resp, err := b.play.house.Request(ctx, "POST", "/api/links", nil)
	if err != nil {
		return nil
	}
	var link struct{ URL string }
	err = json.NewDecoder(resp.Body).Decode(&link)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil // the server went in the middle of it
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(link.URL, "http://"), "/")
	page, _, err := b.ask(ctx, browser, http.MethodPost, "/"+path)
	if found := half.FindStringSubmatch(page); found != nil {
		browser.Transport.(*tab).half = found[1]
	}
	return err
}

// get returns an answer, or that it is to be asked for again: the connection broke, or the
// server says that it cannot now.
func (b *book) get(ctx context.Context, browser *http.Client, path string) (body string, again bool, err error) {
	return b.ask(ctx, browser, http.MethodGet, path)
}

func (b *book) ask(ctx context.Context, browser *http.Client, method, path string) (body string, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+b.play.house.Addr+path, nil)
	if err != nil {
		return "", false, err
	}
	resp, err := browser.Do(req)
	if err != nil {
		return "", true, nil
	}
	data, failed := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // what counts is what was read
	switch {
	case failed != nil, resp.StatusCode == http.StatusServiceUnavailable, resp.StatusCode == http.StatusTooManyRequests:
		return "", true, nil
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return signInForm, false, nil
	case resp.StatusCode == http.StatusInternalServerError && b.play.mayFail():
		return "", true, nil
	case resp.StatusCode >= 300:
		return "", false, fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, data)
	}
	return string(data), false, nil
}
