package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// authors are the roles that may propose each type of event: o for owners, e for editors, r for
// runners and x for runtimes. Viewers may propose none.
var authors = map[event.Type]string{
	"NotebookTitled": "o", "NotebookMetadataSet": "oe",
	"CellCreated": "oe", "SourceEdited": "oe", "CellKindChanged": "oe", "CellLanguageChanged": "oe", "CellMoved": "oe",
	"CellDeleted": "oe", "CellRestored": "oe", "CellVisibilitySet": "oe", "CellMetadataSet": "oe",
	"CellOutputsCleared": "oe", "OutputsImported": "oe", "FileAttached": "oe", "FileRemoved": "oe",
	"RunRequested": "oer", "RunCancelled": "oer", "AllRunsCancelled": "oer", "InputAnswered": "oer",
	"ApprovalAnswered": "oe",
	"RuntimeStarted":   "x", "RuntimeReady": "x", "RuntimeStopped": "x", "RunAssigned": "x", "RunStarted": "x", "RunFinished": "x", "SourceOffered": "x",
	"InputAsked": "x", "InputClosed": "x", "OutputAdded": "x", "OutputAppended": "x", "DisplayUpdated": "x", "OutputsCleared": "x", "ApprovalAsked": "x",
	"OutputStored": "x", "CommOpened": "x", "CommUpdated": "x", "CommSent": "x", "CommClosed": "x", "CommsLost": "x",
}

func TestAC27EveryEventAsksForARoleOnASocketToo(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	roles := map[string]string{"co-owner": "o", "editor": "e", "runner": "r", "viewer": "v", "runtime": "x"}
	for asker, letter := range roles {
		p := w.join(t, "b1", tokenOf(t, asker, "b1"), event.ClientID(asker))
		for _, typ := range event.Types() {
			may, ok := authors[typ]
			if !ok {
				t.Fatalf("%s has no row in the table of authors; add one", typ)
			}
			// The payload is empty. A role that may propose it may be told of a missing field;
			// another role is refused before.
			_, no := p.outcome(p.push(event.New(typ))[0])
			forbidden := no != nil && no.Code == protocol.CodeForbidden
			if forbidden == strings.Contains(may, letter) {
				t.Errorf("%s by %s: got %v, want forbidden: %v", typ, asker, no, !forbidden)
			}
		}
		no := p.refused(p.push(&event.Unknown{Name: "Unheard", Raw: []byte("{}")})[0])
		if got, want := no.Code, protocol.CodeInvalid; got != want {
			t.Errorf("unknown event by %s: got code %q, want %q", asker, got, want)
		}
	}
}

func created(id event.CellID, source string) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: "code", Order: "R", Source: source}
}

func TestEveryRoleCanDoItsWork(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	viewer := w.join(t, "b1", person(t, "viewer"), "c-viewer")
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("c-runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	owner := w.join(t, "b1", ownerToken, "c-owner")
	owner.titled("Ours")
	editor := w.join(t, "b1", person(t, "editor"), "c-editor")
	editor.committed(editor.push(created("k1", "1+1"))[0])
	runner := w.join(t, "b1", person(t, "runner"), "c-runner")
	runner.committed(runner.push(&event.RunRequested{Runs: []event.RunOf{{Run: "run1", Cell: "k1"}}})[0])
	rt.committed(rt.push(
		&event.RunAssigned{Run: "run1", Epoch: 1},
		&event.RunStarted{Run: "run1", Epoch: 1},
		&event.RunFinished{Run: "run1", Epoch: 1, Status: event.StatusOK})[2])

	var got []string
	for len(got) < 7 {
		for _, e := range next[*protocol.Events](viewer).Events {
			got = append(got, fmt.Sprintf("%s by %s", e.Payload.Type(), e.Actor))
		}
	}
	want := []string{
		"RuntimeStarted by runtime:r1", "NotebookTitled by person:owner", "CellCreated by person:editor",
		"RunRequested by person:runner", "RunAssigned by runtime:r1", "RunStarted by runtime:r1", "RunFinished by runtime:r1",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("what a viewer saw: got-, want+\n%s", diff)
	}
	if got, want := w.store.log("b1").Title(), "Ours"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
}

func TestAC28TheServerSaysWhoDidIt(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", key(t, "b1", access.Editor), "c1")
	p.n = 1
	p.raw([]byte(`{"kind":"push","events":[{"id":"c1.1","actor":"person:owner","time":1,"seq":99,` +
		`"type":"NotebookMetadataSet","payload":{"key":"a","value":1}}]}`))
	e := p.committed(event.ID{Client: "c1", N: 1})
	if e.Actor != "key:ci" || e.Seq != 1 || e.Time == 1 {
		t.Errorf("got actor %s, seq %d and time %d, want the server's own", e.Actor, e.Seq, e.Time)
	}
	if got, want := p.welcome.Actor, event.Actor("key:ci"); got != want {
		t.Errorf("got a welcome as %s, want %s", got, want)
	}
}

func TestAC28IdsOfOthersAndOldIdsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.titled("one")
	drafts := []struct {
		id   event.ID
		want protocol.Code
	}{
		{event.ID{Client: "c2", N: 2}, protocol.CodeForbidden},
		{event.ID{Client: "room", N: 2}, protocol.CodeForbidden},
		{event.ID{Client: "c1", N: 1}, protocol.CodeDuplicate},
	}
	for _, d := range drafts {
		p.send(&protocol.Push{Events: []event.Draft{{ID: d.id, Payload: &event.NotebookTitled{Title: "two"}}}})
		if no := p.refused(d.id); no.Code != d.want {
			t.Errorf("%s: got code %q, want %q", d.id, no.Code, d.want)
		}
	}
	if got, want := w.store.log("b1").Title(), "one"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
}

func TestAC29ARuntimeSpeaksForItselfOnly(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	token := runtime(t, "b1", "r1")
	other := w.open(t, "b1", token)
	other.hello(helloOf("c0", "r2"))
	wantClosed(t, other, protocol.CodeForbidden)

	rt := w.joinAs(t, "b1", token, helloOf("c1", "r1"))
	no := rt.refused(rt.push(&event.RuntimeStarted{Runtime: "r2", Takes: event.TakesCode})[0])
	if got, want := no.Code, protocol.CodeForbidden; got != want {
		t.Errorf("another's start: got code %q, want %q", got, want)
	}
	start := &event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode}
	rt.committed(rt.push(start)[0])
	no = rt.refused(rt.push(&event.RuntimeReady{Runtime: "r1", Epoch: 2})[0])
	if got, want := no.Code, protocol.CodeConflict; got != want {
		t.Errorf("a wrong epoch: got code %q, want %q", got, want)
	}

	second := w.joinAs(t, "b1", runtime(t, "b1", "r2"), helloOf("c2", "r2"))
	second.committed(second.push(&event.RuntimeStarted{Runtime: "r2", Takes: event.TakesCode})[0])
	no = rt.refused(rt.push(&event.RuntimeReady{Runtime: "r1", Epoch: 1})[0])
	if got, want := no.Code, protocol.CodeConflict; got != want {
		t.Errorf("an old epoch: got code %q, want %q", got, want)
	}
}

func TestOnlyOwnersBringARuntime(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for i, asker := range []string{"viewer", "runner", "editor", "co-owner"} {
		p := w.open(t, "b1", tokenOf(t, asker, "b1"))
		p.hello(helloOf(event.ClientID(fmt.Sprint("c", i)), "mine"))
		if i < 3 {
			wantClosed(t, p, protocol.CodeForbidden)
			continue
		}
		if got, want := next[*protocol.Welcome](p).Actor, event.Actor("runtime:mine"); got != want {
			t.Errorf("%s: got actor %s, want %s", asker, got, want)
		}
	}
}

func TestAC50AnEditorBringsARuntimeWithATokenThatLetsThem(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	w.book("b2")
	made := func(role string, status int) string {
		var made server.Token
		body := `{"name":"ci","notebook":"b1","role":"` + role + `","brings":true,"expiresIn":60}`
		a := w.do(t, request{method: "POST", path: "/api/tokens", token: ownerToken, body: body}).want(t, status)
		if status == 201 {
			a.into(t, &made)
		}
		return made.Token
	}
	made("runner", 400)
	made("viewer", 400)
	token := made("editor", 201)
	p := w.joinAs(t, "b1", token, helloOf("c1", "mine"))
	p.committed(p.push(&event.RuntimeStarted{Runtime: "mine", Takes: event.TakesCode, Brought: "person:owner"})[0])
	other := w.open(t, "b1", key(t, "b1", access.Editor))
	other.hello(helloOf("c2", "others"))
	wantClosed(t, other, protocol.CodeForbidden)
	var list server.TokenList
	w.do(t, request{method: "GET", path: "/api/tokens", token: ownerToken}).want(t, 200).into(t, &list)
	if len(list.Tokens) != 1 || !list.Tokens[0].Brings {
		t.Errorf("got %+v, want one that brings runtimes", list.Tokens)
	}
	if got := w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: ownerToken}).want(t, 200).body; !strings.Contains(got, `"brought":"key:ci"`) {
		t.Errorf("got the log %s, want who brought the runtime", got)
	}
	brought := func() string {
		var list server.NotebookList
		w.do(t, request{method: "GET", path: "/api/notebooks?sort=title", token: ownerToken}).want(t, 200).into(t, &list)
		return fmt.Sprintf("%s:%s %s:%s", list.Notebooks[0].ID, list.Notebooks[0].Brought, list.Notebooks[1].ID, list.Notebooks[1].Brought)
	}
	const want = "b1:key:ci b2:"
	for late := soon(t); brought() != want; {
		select {
		case <-late.Done():
			t.Fatalf("the list has %s, want %s", brought(), want)
		case <-time.After(10 * time.Millisecond): // the list knows a moment later
		}
	}
	if _, err := ws.Dial(soon(t), w.url+"/api/notebooks/b2/sync", token, ws.Options{}); err == nil {
		t.Error("the token is good for another notebook")
	}
}

// wantClosed wants a connection to end with a code.
func wantClosed(t *testing.T, p *peer, code protocol.Code) *protocol.Closed {
	t.Helper()
	msg := p.ended()
	closed, ok := msg.(*protocol.Closed)
	if !ok || closed.Code != code {
		t.Fatalf("got %T %v, want closed with code %q", msg, msg, code)
	}
	return closed
}

func TestAConnectionThatBreaksTheProtocolIsToldSo(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	hello := protocol.Hello{Client: "c1"}
	tests := []struct {
		name  string
		speak func(p *peer)
		code  protocol.Code
	}{
		{"no hello first", func(p *peer) { p.send(&protocol.Presence{}) }, protocol.CodeInvalid},
		{"no message", func(p *peer) { p.raw([]byte("rubbish")) }, protocol.CodeInvalid},
		{"a message of a room", func(p *peer) { p.raw([]byte(`{"kind":"welcome"}`)) }, protocol.CodeInvalid},
		{"another version", func(p *peer) { p.hello(protocol.Hello{Version: 99, Client: "c1"}) }, protocol.CodeVersion},
		{"a bad client id", func(p *peer) { p.hello(protocol.Hello{Client: "a b"}) }, protocol.CodeInvalid},
		{"the room's id", func(p *peer) { p.hello(protocol.Hello{Client: "room"}) }, protocol.CodeInvalid},
		{"a second hello", func(p *peer) { p.hello(hello); p.hello(hello) }, protocol.CodeInvalid},
		{"a malformed message", func(p *peer) { p.hello(hello); p.raw([]byte(`{"kind":"push","events":[{}]}`)) }, protocol.CodeInvalid},
		{"a message that is too large", func(p *peer) {
			p.hello(hello)
			_ = p.Send(soon(p.t), make([]byte, protocol.MaxMessage+1))
		}, protocol.CodeInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := w.open(t, "b1", ownerToken)
			p.t = t
			test.speak(p)
			closed := wantClosed(t, p, test.code)
			if strings.Contains(test.name, "too large") && closed.Message != "message of more than 16 MiB" {
				t.Errorf("got %q", closed.Message)
			}
		})
	}
}

func TestASocketThatSaysNothingIsClosed(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Hello = 20 * time.Millisecond })
	w.book("b1")
	if got := w.open(t, "b1", ownerToken).ended(); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestADialThatIsRefusedSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	tests := []struct {
		book, token string
		want        protocol.Code
	}{
		{"b1", "", protocol.CodeForbidden},
		{"b1", key(t, "b2", access.Owner), protocol.CodeNotFound},
		{"b2", ownerToken, protocol.CodeNotFound},
	}
	for _, test := range tests {
		_, err := ws.Dial(soon(t), w.url+"/api/notebooks/"+test.book+"/sync", test.token, ws.Options{})
		var closed *protocol.Closed
		if !errors.As(err, &closed) || closed.Code != test.want || closed.Message == "" {
			t.Errorf("%s: got %v, want code %q", test.book, err, test.want)
		}
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", token: ownerToken}).want(t, 426).problem(t)
}

func TestAC33ASocketEndsWithItsNotebook(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", person(t, "viewer"), "c1")
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
	if msg, ok := p.ended().(*protocol.Resume); !ok {
		t.Errorf("got %v, want to be told to connect again", msg)
	}
	_, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", person(t, "viewer"), ws.Options{})
	var closed *protocol.Closed
	if !errors.As(err, &closed) || closed.Code != protocol.CodeNotFound {
		t.Errorf("got %v, want not-found", err)
	}
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/restore", token: ownerToken}).want(t, 200)
	w.join(t, "b1", person(t, "viewer"), "c1")
}

// narrow makes sockets that hold little, so that a slow reader is soon felt.
func narrow(c *server.Config) {
	c.Listener = narrowListener{c.Listener}
	c.Limits.Outbox = 32 << 10
}

type narrowListener struct{ net.Listener }

func (l narrowListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(4<<10))
	}
	return c, err
}

// flood states far more than outbox and sockets hold, and waits until it is on disk.
func (p *peer) flood() (last event.Seq) {
	p.t.Helper()
	value := []byte(`"` + strings.Repeat("x", 32<<10) + `"`)
	batch := slices.Repeat([]event.Payload{metadata("same", value)}, 32) // one commit each would outlast a socket's patience
	for range 4 {
		ids := p.push(batch...)
		last = p.committed(ids[len(ids)-1]).Seq
	}
	return last
}

func TestAC36ASlowReaderHoldsNobodyUp(t *testing.T) {
	w := newWorld(t, narrow)
	w.book("b1")
	slow := w.join(t, "b1", person(t, "viewer"), "slow") // reads nothing until the end
	last := w.join(t, "b1", ownerToken, "fast").flood()
	figures := w.do(t, request{method: "GET", path: "/metrics", token: ownerToken}).want(t, 200).body
	if !strings.Contains(figures, "\nquire_members_behind_total ") || strings.Contains(figures, "\nquire_members_behind_total 0\n") {
		t.Error("got no count of a member that fell behind")
	}
	for seq := event.Seq(0); seq < last; seq++ {
		if e := next[*protocol.Events](slow).Events[0]; e.Seq != seq+1 {
			t.Fatalf("got event %d after %d", e.Seq, seq)
		}
	}
}

func TestAClientThatSendsTooFastHasToWait(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Messages = 100 })
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	began := time.Now()
	var last event.ID
	for range 120 { // the first hundred at once, then one every 10 ms
		last = p.push(&event.NotebookTitled{Title: "x"})[0]
	}
	p.committed(last)
	if got, least := time.Since(began), 190*time.Millisecond; got < least {
		t.Errorf("got all within %v, want at least %v", got, least)
	}
}

func TestOnlyManySocketsWaitForMoreToSend(t *testing.T) {
	for sockets, want := range map[int]time.Duration{1: 0, 8: 0, 40: time.Millisecond, 100: 2500 * time.Microsecond, 1e6: 2500 * time.Microsecond} {
		if got := server.Tick(sockets); got != want {
			t.Errorf("%d sockets: got %v, want %v", sockets, got, want)
		}
	}
}

func TestSessionsOfTwoPeopleConverge(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 2)
	session := func(client event.ClientID, token string) *replica.Session {
		s := replica.NewSession(replica.SessionConfig{
			Replica: replica.New(client),
			Dial: func(ctx context.Context) (protocol.Conn, error) {
				return ws.Dial(ctx, w.url+"/api/notebooks/b1/sync", token, ws.Options{})
			},
		})
		go func() { ended <- s.Run(ctx) }()
		return s
	}
	a, b := session("a", ownerToken), session("b", person(t, "editor"))
	if err := a.Do(ctx, created("k1", "middle")); err != nil {
		t.Fatal(err)
	}
	source := func(r *replica.Replica) string {
		if c := r.View().Cell("k1"); c != nil {
			return c.Source()
		}
		return ""
	}
	if err := b.Wait(ctx, func(r *replica.Replica) bool { return source(r) == "middle" }); err != nil {
		t.Fatal(err)
	}
	edit := func(s *replica.Session, add func(string) string) error {
		return s.With(func(r *replica.Replica) error {
			old := source(r)
			_, _, err := r.Do(&event.SourceEdited{Cell: "k1", Rev: r.View().Cell("k1").Rev, Edit: text.Diff(old, add(old))})
			return err
		})
	}
	for i := range 20 {
		if err := errors.Join(
			edit(a, func(s string) string { return fmt.Sprint(i, ",", s) }),
			edit(b, func(s string) string { return fmt.Sprint(s, ",", i) }),
		); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for _, s := range []*replica.Session{a, b} {
		var last string
		done := func(r *replica.Replica) bool {
			last = source(r)
			return r.Pending() == 0 && strings.Contains(last, "19,18,") && strings.HasSuffix(last, ",18,19")
		}
		if err := s.Wait(ctx, done); err != nil {
			t.Fatal(err, last)
		}
		texts = append(texts, last)
	}
	if texts[0] != texts[1] {
		t.Errorf("got %q and %q, want one text", texts[0], texts[1])
	}
	cancel()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestAnUpgradeThatFailsLeavesNothingBehind(t *testing.T) {
	w := newWorld(t, func(c *server.Config) {
		c.Upgrade = func(rw http.ResponseWriter, _ *http.Request) (protocol.Conn, error) {
			rw.WriteHeader(http.StatusTeapot)
			return nil, errors.New("no")
		}
		c.Limits.Idle = time.Nanosecond
	})
	w.book("b1")
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", token: ownerToken, header: socketHeader()}).want(t, 418)
	w.eventually(t, "quire_rooms 0")
}
