package server_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// clock is a time that a test moves.
type clock struct{ now atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.now.Store(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time       { return time.Unix(0, c.now.Load()) }
func (c *clock) add(d time.Duration)  { c.now.Add(int64(d)) }
func (c *clock) use(f *server.Config) { f.Now = c.Now }

// signIn opens a new link and returns the cookie.
func (w *world) signIn(t *testing.T) *http.Cookie {
	t.Helper()
	a := w.do(t, request{method: "GET", path: w.Link()}).want(t, 303)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 {
		t.Fatalf("got cookies %v, want one", cookies)
	}
	return cookies[0]
}

func TestAC25ALinkSignsInOnce(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	a := w.do(t, request{method: "GET", path: link}).want(t, 303)
	if got, want := a.header.Get("Location"), "/"; got != want {
		t.Errorf("got a redirect to %q, want %q", got, want)
	}
	a = w.do(t, request{method: "GET", path: link}).want(t, 403)
	if !strings.Contains(a.body, "quire link") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("got %s, want how to get another link and no cookie", a.body)
	}
}

func TestAC25ALinkThatManyOpenSignsInOne(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	var in atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if w.do(t, request{method: "GET", path: link}).status == 303 {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if got := in.Load(); got != 1 {
		t.Errorf("got %d sign-ins, want 1", got)
	}
}

func TestAC25ALookAtALinkDoesNotUseIt(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	w.do(t, request{method: "HEAD", path: link}).want(t, 405)
	w.do(t, request{method: "GET", path: link}).want(t, 303)
}

func TestAC25ALinkEndsAfterADay(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	early, late := w.Link(), w.Link()
	now.add(24*time.Hour - time.Second)
	w.do(t, request{method: "GET", path: early}).want(t, 303)
	now.add(time.Second)
	w.do(t, request{method: "GET", path: late}).want(t, 403)
}

func TestALinkOfTheAPIWorksAndNamesTheServer(t *testing.T) {
	w := newWorld(t)
	var link server.Link
	w.do(t, request{method: "POST", path: "/api/links", token: ownerToken}).want(t, 201).into(t, &link)
	path, ok := strings.CutPrefix(link.URL, w.url)
	if !ok {
		t.Fatalf("got %q, want a link to %s", link.URL, w.url)
	}
	w.do(t, request{method: "GET", path: path}).want(t, 303)
}

func TestTheCookieIsForThisServerAndItsPagesOnly(t *testing.T) {
	w := newWorld(t)
	c := w.signIn(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(w.url, "http://"), ":")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Name != "quire_"+port {
		t.Errorf("got %v, want an HttpOnly, SameSite=Strict cookie named after the port", c)
	}
	if c.MaxAge != 30*24*3600 || len(c.Value) < 40 {
		t.Errorf("got %v, want a long random value for 30 days", c)
	}
}

func TestASessionEndsAfterThirtyDays(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	c := w.signIn(t)
	want := server.Me{Actor: "person:owner", Owner: true, Expires: now.Now().Add(30 * 24 * time.Hour).Unix()}
	now.add(30*24*time.Hour - time.Second)
	var me server.Me
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200).into(t, &me)
	if me != want {
		t.Errorf("got %v, want %v", me, want)
	}
	now.add(time.Second)
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 401)
}

func TestNoCredentialsAndBadOnesAreUnauthenticated(t *testing.T) {
	w := newWorld(t)
	good := key(t, "b1", access.Editor)
	other, err := server.Sign(make([]byte, 32), server.Claims{Kind: event.ActorPerson, Name: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	claims, _, _ := strings.Cut(good, ".")
	_, signature, _ := strings.Cut(person(t, "ada"), ".")
	headers := []string{
		"", "Bearer", "Bearer ", "Bearer x", "Basic b3duZXI6", "Bearer " + ownerToken + "x", "Bearer " + ownerToken[1:],
		"Bearer " + other, "Bearer " + claims, "Bearer " + claims + ".", "Bearer " + claims + "." + signature,
		"Bearer qt_.", "Bearer qt_" + strings.Repeat("x", 1<<14), ownerToken, "Bearer " + good + "A",
	}
	for _, h := range headers {
		header := map[string]string{}
		if h != "" {
			header["Authorization"] = h
		}
		a := w.do(t, request{method: "GET", path: "/api/me", header: header})
		if a.status != 401 || a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%.40q: got %d %v, want 401 with a challenge", h, a.status, a.header)
		}
		if w.log.String() == "" {
			t.Error("got no log")
		}
	}
}

func TestNoBitOfATokenMayBeChanged(t *testing.T) {
	w := newWorld(t)
	good := key(t, "b1", access.Viewer)
	w.do(t, request{method: "GET", path: "/api/me", token: good}).want(t, 200)
	for i := range good {
		bad := []byte(good)
		if bad[i]++; i < 3 {
			continue // without the prefix it is no signed token at all, as above
		}
		header := map[string]string{"Authorization": "Bearer " + string(bad)}
		if a := w.do(t, request{method: "GET", path: "/api/me", header: header}); a.status != 401 && a.status != 429 {
			t.Errorf("byte %d changed: got %d, want 401", i, a.status)
		}
	}
}

func TestATokenEndsWhenItSays(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	w.book("b1")
	var made server.Token
	body := `{"name":"ci","notebook":"b1","role":"runner","expiresIn":60}`
	w.do(t, request{method: "POST", path: "/api/tokens", token: ownerToken, body: body}).want(t, 201).into(t, &made)
	var me server.Me
	w.do(t, request{method: "GET", path: "/api/me", token: made.Token}).want(t, 200).into(t, &me)
	want := server.Me{Actor: "key:ci", Notebook: "b1", Role: access.Runner, Expires: now.Now().Unix() + 60}
	if me != want || made.Expires != want.Expires {
		t.Errorf("got %v until %d, want %v", me, made.Expires, want)
	}
	now.add(time.Minute)
	a := w.do(t, request{method: "GET", path: "/api/me", token: made.Token}).want(t, 401)
	if got := a.problem(t).Detail; !strings.Contains(got, "expired") {
		t.Errorf("got %q, want that it has expired", got)
	}
}

func TestTokensOnlyGiveWhatKeysMayHave(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	tests := []struct {
		body string
		want int
	}{
		{`{"name":"ci","notebook":"b1","role":"editor","expiresIn":1}`, 201},
		{`{"name":"ci","notebook":"b1","role":"owner","expiresIn":1}`, 400},
		{`{"name":"ci","notebook":"b1","role":"runtime","expiresIn":1}`, 400},
		{`{"name":"ci","notebook":"b1","role":"","expiresIn":1}`, 400},
		{`{"name":"a b","notebook":"b1","role":"viewer","expiresIn":1}`, 400},
		{`{"name":"","notebook":"b1","role":"viewer","expiresIn":1}`, 400},
		{`{"name":"ci","notebook":"b2","role":"viewer","expiresIn":1}`, 404},
		{`{"name":"ci","notebook":"b1","role":"viewer","expiresIn":0}`, 400},
		{`{"name":"ci","notebook":"b1","role":"viewer","expiresIn":99999999999}`, 400},
	}
	for _, test := range tests {
		a := w.do(t, request{method: "POST", path: "/api/tokens", token: ownerToken, body: test.body})
		if a.status != test.want {
			t.Errorf("%s: got %d, want %d", test.body, a.status, test.want)
		}
	}
}

func TestClaimsThatNoOneMayMakeAreNotSigned(t *testing.T) {
	bad := []server.Claims{
		{},
		{Kind: event.ActorPerson},
		{Kind: event.ActorRoom, Name: "room", Notebook: "b1", Role: access.Owner},
		{Kind: event.ActorKey, Name: "ci"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: "god"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Runtime},
		{Kind: event.ActorRuntime, Name: "r1", Notebook: "b1", Role: access.Owner},
		{Kind: event.ActorPerson, Name: "ada", Role: access.Owner},
	}
	for _, c := range bad {
		if token, err := server.Sign(secret, c); err == nil {
			t.Errorf("%+v: got %q, want an error", c, token)
		}
	}
}

func TestAC31FailedSignInsAreLimited(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	link := w.Link()
	guess := request{method: "GET", path: "/login?token=guess"}
	for range 20 {
		w.do(t, guess).want(t, 403)
	}
	w.do(t, guess).want(t, 429)
	w.do(t, request{method: "GET", path: link}).want(t, 429)
	w.do(t, request{method: "GET", path: "/api/me", header: map[string]string{"Authorization": "Bearer guess"}}).want(t, 429)
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken}).want(t, 200)
	now.add(4 * time.Second)
	w.do(t, request{method: "GET", path: link}).want(t, 303)
}

func TestNoSecretIsLogged(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	link, editor := w.Link(), key(t, "b1", access.Editor)
	a := w.do(t, request{method: "GET", path: link}).want(t, 303)
	cookie := (&http.Response{Header: a.header}).Cookies()[0]
	w.do(t, request{method: "GET", path: link}).want(t, 403)
	w.do(t, request{method: "GET", path: "/api/me?token=" + editor, cookie: cookie}).want(t, 200)
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken + "x"}).want(t, 401)
	w.do(t, request{method: "GET", path: "/nothing/" + editor, token: editor}).want(t, 404)
	w.join(t, "b1", editor, "c1").titledRefused()
	w.store.fail("panic " + "now")
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 500)
	w.stop()
	_, secretOfLink, _ := strings.Cut(link, "=")
	for _, s := range []string{secretOfLink, cookie.Value, ownerToken, editor, string(secret)} {
		if strings.Contains(w.log.String(), s) {
			t.Errorf("got %q in the log", s)
		}
	}
}

func FuzzTokens(f *testing.F) {
	good, err := server.Sign(secret, server.Claims{Kind: event.ActorPerson, Name: "ada"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "qt_", "qt_.", "qt_e30.AAAA", good[:len(good)-1], good + ".", "qt_" + good} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if c, err := server.Verify(secret, token, time.Now()); err == nil && token != good {
			t.Errorf("got %+v from a token that was never signed", c)
		}
	})
}
