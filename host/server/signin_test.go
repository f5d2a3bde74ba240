package server_test

import (
	"errors"
	"html"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/signin"
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

// signIn uses a new link and returns the cookie. Requests with that have its other half too.
func (w *world) signIn(t *testing.T) *http.Cookie {
	t.Helper()
	return w.signInWith(t, w.Link())
}

// signInWith opens a link and returns the browser's cookie.
func (w *world) signInWith(t *testing.T, link string) *http.Cookie {
	t.Helper()
	a := w.do(t, request{method: "POST", path: link}).want(t, 200)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 {
		t.Fatalf("got cookies %v, want one", cookies)
	}
	halves.Store(cookies[0].Value, data(t, a, "half"))
	return cookies[0]
}

// halves has the other half of each cookie.
var halves sync.Map

// halfOf returns the other half of the cookies in a header, empty if there is none.
func halfOf(header http.Header) string {
	for _, c := range (&http.Request{Header: header}).Cookies() {
		if half, ok := halves.Load(c.Value); ok {
			return half.(string)
		}
	}
	return ""
}

// data returns an attribute of a page for its script.
func data(t *testing.T, a answer, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(a.body, ` data-`+name+`="`)
	value, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("got %s, want %s in it", a.body, name)
	}
	return html.UnescapeString(value)
}

func TestAC25ALinkSignsInOnce(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	a := w.do(t, request{method: "POST", path: link}).want(t, 200)
	if got, want := data(t, a, "next"), "/"; got != want {
		t.Errorf("got led to %q, want %q", got, want)
	}
	a = w.do(t, request{method: "POST", path: link}).want(t, 403)
	if !strings.Contains(a.body, "quire link") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("got %s, want how to get another link and no cookie", a.body)
	}
}

func TestALinkThatNeverWasIsNotSaidToWorkNoMore(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	late := w.Link()
	now.add(24 * time.Hour)
	for link, want := range map[string]string{late: "does not work any more", "/login?token=none": "is not known", "/login": "is not known"} {
		if a := w.do(t, request{method: "POST", path: link}).want(t, 403); !strings.Contains(a.body, want) {
			t.Errorf("%s: got %s, want that it %s", link, a.body, want)
		}
	}
}

func TestAC25ALinkThatManyOpenSignsInOne(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	var in atomic.Int32
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			if w.do(t, request{method: "POST", path: link}).status == 200 {
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
	for range 30 {
		w.do(t, request{method: "HEAD", path: link}).want(t, 200)
		a := w.do(t, request{method: "GET", path: link, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}).want(t, 200)
		if a.header.Get("Set-Cookie") != "" || !strings.Contains(a.body, `<form method="post" action="/login">`) {
			t.Fatalf("got %v %s, want a page that asks", a.header, a.body)
		}
	}
	w.do(t, request{method: "POST", path: link, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}).want(t, 403)
	w.do(t, request{method: "POST", path: link, header: map[string]string{"Origin": "http://127.0.0.1:1"}}).want(t, 403)
	w.do(t, request{method: "POST", path: link, header: map[string]string{"Origin": w.url, "Sec-Fetch-Site": "same-origin"}}).want(t, 200)
}

func TestAC25ALinkEndsAfterADay(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	early, late := w.Link(), w.Link()
	now.add(24*time.Hour - time.Second)
	w.do(t, request{method: "POST", path: early}).want(t, 200)
	now.add(time.Second)
	w.do(t, request{method: "POST", path: late}).want(t, 403)
}

func TestALinkOfTheAPIWorksAndNamesTheServer(t *testing.T) {
	w := newWorld(t)
	var link server.Link
	w.do(t, request{method: "POST", path: "/api/links", token: ownerToken}).want(t, 201).into(t, &link)
	path, ok := strings.CutPrefix(link.URL, w.url)
	if !ok {
		t.Fatalf("got %q, want a link to %s", link.URL, w.url)
	}
	w.do(t, request{method: "POST", path: path}).want(t, 200)
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

func TestASessionEndsAfterThirtyDaysWithoutUse(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	c := w.signIn(t)
	want := server.Me{Actor: "person:owner", Name: "Owner", Owner: true, Expires: now.Now().Add(30 * 24 * time.Hour).Unix()}
	now.add(24*time.Hour - time.Second)
	var me server.Me
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200).into(t, &me)
	if me != want {
		t.Errorf("got %v, want %v", me, want)
	}
	now.add(29*24*time.Hour + time.Second)
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 401)
}

func TestAC44ASessionThatIsUsedIsRenewedAlsoForTheNextServer(t *testing.T) {
	now, keeps := newClock(), &kept{}
	w := newWorld(t, now.use, keeps.use)
	c := w.signIn(t)
	for range 10 {
		now.add(20 * 24 * time.Hour)
		var me server.Me
		a := w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200)
		a.into(t, &me)
		if want := now.Now().Add(30 * 24 * time.Hour).Unix(); me.Expires != want {
			t.Fatalf("it ends at %v, want %v", me.Expires, want)
		}
		renewed := (&http.Response{Header: a.header}).Cookies()
		if len(renewed) != 1 || renewed[0].Value != c.Value || renewed[0].MaxAge != 30*24*3600 || !renewed[0].HttpOnly {
			t.Fatalf("got cookies %v, want the same one for 30 more days", renewed)
		}
	}
	if a := w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200); a.header.Get("Set-Cookie") != "" {
		t.Error("it was renewed twice at once")
	}
	w = w.again(t, now.use, keeps.use)
	c.Name = w.cookieName()
	now.add(20 * 24 * time.Hour)
	keeps.fail(errors.New("disk full"))
	if a := w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200); a.header.Get("Set-Cookie") != "" {
		t.Error("it was renewed though that could not be kept")
	}
	now.add(10 * 24 * time.Hour)
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 401)
}

func TestNoCredentialsAndBadOnesAreUnauthenticated(t *testing.T) {
	w := newWorld(t)
	good := key(t, "b1", access.Editor)
	other, err := signin.Sign(make([]byte, 32), signin.Claims{Kind: event.ActorPerson, Name: "ada"})
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
	bad := []signin.Claims{
		{},
		{Kind: event.ActorPerson},
		{Kind: event.ActorRoom, Name: "room", Notebook: "b1", Role: access.Owner},
		{Kind: event.ActorKey, Name: "ci"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: "god"},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Runtime},
		{Kind: event.ActorRuntime, Name: "r1", Notebook: "b1", Role: access.Owner},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Assistant},
		{Kind: event.ActorPerson, Name: "ada", Notebook: "b1", Role: access.Assistant},
		{Kind: event.ActorRuntime, Name: "r1", Notebook: "b1", Role: access.Assistant},
		{Kind: event.ActorAssistant, Name: "a1", Notebook: "b1", Role: access.Runtime},
		{Kind: event.ActorAssistant, Name: "a1", Notebook: "b1", Role: access.Editor},
		{Kind: event.ActorPerson, Name: "ada", Role: access.Owner},
		{Kind: event.ActorPerson, Name: "ada", Brings: true},
		{Kind: event.ActorPerson, Name: "ada", Notebook: "b1", Role: access.Editor, Brings: true},
		{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Runner, Brings: true},
		{Kind: event.ActorRuntime, Name: "r1", Notebook: "b1", Role: access.Runtime, Brings: true},
	}
	for _, c := range bad {
		if token, err := signin.Sign(secret, c); err == nil {
			t.Errorf("%+v: got %q, want an error", c, token)
		}
	}
}

func TestAC31FailedSignInsAreLimited(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	link := w.Link()
	guess := request{method: "POST", path: "/login?token=guess"}
	for range 30 {
		w.do(t, request{method: "GET", path: guess.path}).want(t, 200) // counts nothing
		w.do(t, request{method: "POST", path: guess.path, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}).want(t, 403)
	}
	for range 20 {
		w.do(t, guess).want(t, 403)
	}
	w.do(t, guess).want(t, 429)
	w.do(t, request{method: "POST", path: link}).want(t, 200) // the owner is not kept out
	w.do(t, request{method: "GET", path: "/api/me", header: map[string]string{"Authorization": "Bearer guess"}}).want(t, 429)
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken}).want(t, 200)
	now.add(4 * time.Second)
	w.do(t, guess).want(t, 403)
}

func TestNoSecretIsLogged(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	link, editor := w.Link(), key(t, "b1", access.Editor)
	a := w.do(t, request{method: "POST", path: link}).want(t, 200)
	cookie, half := (&http.Response{Header: a.header}).Cookies()[0], data(t, a, "half")
	halves.Store(cookie.Value, half)
	w.do(t, request{method: "POST", path: link}).want(t, 403)
	w.do(t, request{method: "GET", path: "/api/me?token=" + editor, cookie: cookie}).want(t, 200)
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken + "x"}).want(t, 401)
	w.do(t, request{method: "GET", path: "/nothing/" + editor, token: editor}).want(t, 404)
	w.join(t, "b1", editor, "c1").titledRefused()
	w.store.fail("panic " + "now")
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 500)
	w.stop()
	_, secretOfLink, _ := strings.Cut(link, "=")
	for _, s := range []string{secretOfLink, cookie.Value, half, ownerToken, editor, string(secret)} {
		if strings.Contains(w.log.String(), s) {
			t.Errorf("got %q in the log", s)
		}
	}
}
