package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/browser"
	"github.com/quirehq/quire/host/native"
)

// testRoom is a room of this process.
type testRoom struct {
	*native.Loopback
	t *testing.T
}

func newRoom(t *testing.T) *testRoom {
	t.Helper()
	loop, err := native.NewLoopback(t.Context(), room.Config{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	run(t, loop.Run)
	return &testRoom{loop, t}
}

// run runs a service until the test ends.
func run(t *testing.T, f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// line is a connection that a test can cut.
type line struct {
	protocol.Conn
	cut chan struct{}
}

func (l *line) Receive(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-l.cut:
			cancel()
		case <-stop:
		}
	}()
	return l.Conn.Receive(ctx)
}

// tab is a host with one page, as a browser has it.
type tab struct {
	*browser.Host
	t       *testing.T
	page    int
	changed chan struct{}
	stop    func()
	lines   chan *line // the first few connections
	status  view.Status
	peers   []view.Peer
	texts   map[event.CellID]view.Text
	ids     int
}

// open opens a tab on a stored replica, "" if there is none.
func (r *testRoom) open(name, kept string) *tab {
	r.t.Helper()
	tb := &tab{t: r.t, changed: make(chan struct{}, 1), texts: map[event.CellID]view.Text{}, lines: make(chan *line, 2)}
	newID := func() string {
		tb.ids++
		return fmt.Sprintf("%s%d", name, tb.ids)
	}
	copied, err := browser.Resume([]byte(kept), newID)
	if err != nil {
		r.t.Fatal(err)
	}
	tb.Host = browser.New(browser.Config{
		Replica: copied, NewID: newID,
		Dial: func(context.Context) (protocol.Conn, error) {
			conn := &line{Conn: r.Dial("person:"+event.Actor(name), access.Owner), cut: make(chan struct{})}
			select {
			case tb.lines <- conn:
			default:
			}
			return conn, nil
		},
		Changed: func() {
			select {
			case tb.changed <- struct{}{}:
			default:
			}
		},
	})
	tb.page = tb.Open(0)
	return tb
}

func (tb *tab) connect() *tab {
	tb.t.Helper()
	tb.stop = run(tb.t, tb.Run)
	tb.until(func() bool { return tb.status.Online })
	return tb
}

// until takes what there is until f says so.
func (tb *tab) until(f func() bool) {
	tb.t.Helper()
	for tb.take(); !f(); tb.take() {
		select {
		case <-tb.changed:
		case <-tb.t.Context().Done():
			tb.t.Fatal("it never came")
		}
	}
}

func (tb *tab) take() {
	tb.t.Helper()
	data, err := tb.Take(tb.page)
	if err != nil {
		tb.t.Fatal(err)
	}
	if data == nil {
		return
	}
	var b view.Batch
	if err := json.Unmarshal(data, &b); err != nil {
		tb.t.Fatal(err)
	}
	if b.Status != nil {
		tb.status = *b.Status
	}
	if b.Peers != nil {
		tb.peers = *b.Peers
	}
	for _, c := range b.Cells {
		if c.Text != nil {
			tb.texts[c.ID] = *c.Text
		}
	}
	for _, u := range b.Texts {
		tb.update(u)
	}
}

// saved waits until all is acknowledged.
func (tb *tab) saved() {
	tb.t.Helper()
	tb.until(func() bool { return tb.status.Online && tb.status.Pending == 0 })
}

func (tb *tab) command(order string) event.CellID {
	tb.t.Helper()
	data, err := tb.Command(tb.page, []byte(order))
	if err != nil {
		tb.t.Fatal(err)
	}
	var result struct{ Cells []event.CellID }
	if err := json.Unmarshal(data, &result); err != nil || len(result.Cells) == 0 {
		return ""
	}
	return result.Cells[0]
}

// end is where a text ends, as a place to type at.
const end = -1

// types pushes an insertion as an editor does: again, on the text as it is then, when
// others came first.
func (tb *tab) types(cell event.CellID, at int, s string) {
	tb.t.Helper()
	for taken := false; !taken; {
		tb.take()
		edit := text.Insert(at, s)
		if at == end {
			edit = text.Insert(text.NewText(tb.texts[cell].Source).Len(), s)
		}
		taken = tb.push(view.TextPush{Cell: cell, Version: tb.texts[cell].Version, By: "e", Edits: []text.Edit{edit}})
	}
}

// push pushes edits, and applies them when they are acknowledged.
func (tb *tab) push(p view.TextPush) bool {
	tb.t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		tb.t.Fatal(err)
	}
	taken, err := tb.Push(tb.page, data)
	if err != nil {
		tb.t.Fatalf("push %s: %v", data, err)
	}
	if !taken {
		return false
	}
	for i, edit := range p.Edits {
		tb.update(view.TextUpdate{Cell: p.Cell, Version: p.Version + i, Edit: edit})
	}
	return true
}

// update applies an update of a text, unless the text came whole and is newer.
func (tb *tab) update(u view.TextUpdate) {
	tb.t.Helper()
	has := tb.texts[u.Cell]
	switch {
	case has.Version > u.Version:
		return
	case has.Version < u.Version:
		tb.t.Fatalf("cell %s is at version %d, and an update is of %d", u.Cell, has.Version, u.Version)
	}
	tb.texts[u.Cell] = view.Text{Version: u.Version + 1, Source: applied(tb.t, has.Source, u)}
}

// store stores all that there is to store, as a browser does, on top of kept.
func (tb *tab) store(kept browser.Kept) browser.Kept {
	tb.t.Helper()
	for {
		data, err := tb.Flush()
		if err != nil {
			tb.t.Fatal(err)
		}
		if data == nil {
			return kept
		}
		var f browser.Flush
		if err := json.Unmarshal(data, &f); err != nil {
			tb.t.Fatal(err)
		}
		if f.Snapshot != "" {
			kept.Snapshot, kept.Events = f.Snapshot, nil
		}
		kept.State, kept.Events = f.State, append(kept.Events, f.Events...)
		tb.Stored(true)
	}
}

// source returns a cell's source in the room.
func (r *testRoom) source(cell event.CellID) (source string) {
	r.t.Helper()
	err := r.View(r.t.Context(), func(n *notebook.Notebook) { source = n.Cell(cell).Source() })
	if err != nil {
		r.t.Fatal(err)
	}
	return source
}

func TestTwoBrowsersTypeInOneCell(t *testing.T) {
	r := newRoom(t)
	ada, bob := r.open("ada", "").connect(), r.open("bob", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	bob.until(func() bool { return bob.texts[cell].Source == "x" })
	ada.types(cell, 0, "ada ")
	bob.types(cell, end, " bob")
	for _, tb := range []*tab{ada, bob} {
		tb.until(func() bool { return tb.texts[cell].Source == "ada x bob" })
		tb.saved()
	}
	if got := r.source(cell); got != "ada x bob" {
		t.Errorf("the room has %q", got)
	}
}

func TestAPushIsAcknowledgedToItsPageAndSentToOthers(t *testing.T) {
	ada := newRoom(t).open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	ada.until(func() bool { return ada.texts[cell].Source == "x" })
	first, second := ada.page, ada.Open(0)
	batch := func(page int) (b view.Batch) {
		t.Helper()
		data, err := ada.Take(page)
		if err == nil && data != nil {
			err = json.Unmarshal(data, &b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	batch(second)
	wants := func(page int, want ...text.Edit) {
		t.Helper()
		var got []text.Edit
		for _, u := range batch(page).Texts {
			got = append(got, u.Edit)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(text.Edit.Equal)); diff != "" {
			t.Errorf("page %d is sent the edits (-want +got):\n%s", page, diff)
		}
	}
	ada.types(cell, 1, "y")
	wants(first)
	wants(second, text.Insert(1, "y"))

	push := fmt.Sprintf(`{"cell":%q,"version":%d,"by":"e","edits":[[2,"z"],[99,"far"]]}`, cell, ada.texts[cell].Version)
	if taken, err := ada.Push(first, []byte(push)); err == nil || taken {
		t.Errorf("a push whose second edit does not fit: taken %v, %v", taken, err)
	}
	wants(first, text.Insert(2, "z"))
	wants(second, text.Insert(2, "z"))
}

// An editor counts each of its edits, also one of which others left nothing.
func TestAnEditThatChangesNothingIsNumberedForTheEditorThatMadeIt(t *testing.T) {
	ada := newRoom(t).open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	ada.until(func() bool { return ada.texts[cell].Source == "x" })
	version := ada.texts[cell].Version
	pushes := func(edits ...text.Edit) {
		t.Helper()
		if !ada.push(view.TextPush{Cell: cell, Version: version, By: "e", Edits: edits}) {
			t.Fatalf("the push at version %d was not taken", version)
		}
		version += len(edits)
	}
	pushes(text.Insert(1, "y"), text.Edit{})
	pushes(text.Edit{})
	pushes(text.Insert(2, "z"))
	ada.take()
	if got := ada.texts[cell]; got.Source != "xyz" || got.Version != version {
		t.Errorf("the page shows %q at version %d, want %q at %d", got.Source, got.Version, "xyz", version)
	}
	ada.command(`{"kind":"undo"}`)
	ada.take()
	if got := ada.texts[cell].Source; got != "xy" {
		t.Errorf("after an undo the page shows %q, want %q", got, "xy")
	}
}

func TestWhatWasTypedOfflineOutlivesTheBrowser(t *testing.T) {
	r := newRoom(t)
	before := r.open("before", "")
	kept := before.store(browser.Kept{})
	before.connect()
	cell := before.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	before.saved()
	kept = before.store(kept)
	before.stop()
	before.types(cell, 1, " offline")
	kept = before.store(kept)

	other := r.open("other", "").connect()
	other.until(func() bool { return other.texts[cell].Source == "x" })
	other.types(cell, 0, "meanwhile ")
	other.saved()

	data, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	after := r.open("after", string(data))
	after.take()
	if got := after.texts[cell].Source; got != "x offline" || after.status.Pending != 1 {
		t.Errorf("before it connects the page shows %q, with %d pending", got, after.status.Pending)
	}
	after.store(kept)
	after.connect()
	after.until(func() bool { return after.texts[cell].Source == "meanwhile x offline" })
	after.until(func() bool {
		after.store(kept)
		return after.status.Pending == 0
	})
	if got := r.source(cell); got != "meanwhile x offline" {
		t.Errorf("the room has %q", got)
	}
}

func TestUndoLeavesWhatAnotherTabOfThisBrowserTyped(t *testing.T) {
	r := newRoom(t)
	ada := r.open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	ada.types(cell, 1, " first")
	first := ada.page
	ada.page = ada.Open(0)
	ada.types(cell, 0, "second ")
	ada.page = first
	ada.command(fmt.Sprintf(`{"kind":"undo","cell":%q}`, cell))
	ada.saved()
	if got := r.source(cell); got != "second x" {
		t.Errorf("the room has %q, want what the second tab typed and nothing of the first", got)
	}
}

func TestTheEditsOfAnUndoCarryTheNameThatItGives(t *testing.T) {
	ada := newRoom(t).open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"x"}`)
	ada.types(cell, 1, " = 1")
	ada.saved()
	ada.take()
	ada.command(fmt.Sprintf(`{"kind":"undo","cell":%q,"by":"editor undoes"}`, cell))
	data, err := ada.Take(ada.page)
	if err != nil || !strings.Contains(string(data), `"by":"editor undoes"`) {
		t.Errorf("the page is shown %s, %v", data, err)
	}
}

func TestABrowserThatIsRefusedSaysWhy(t *testing.T) {
	r := newRoom(t)
	tb := r.open("ada", "")
	no := &protocol.Closed{Code: protocol.CodeNotFound, Message: "there is no such notebook"}
	h := browser.New(browser.Config{
		Replica: replica.New("x"), NewID: func() string { return "id" }, Changed: func() {},
		Dial: func(context.Context) (protocol.Conn, error) { return nil, no },
	})
	tb.Host, tb.page = h, h.Open(0)
	if err := h.Run(t.Context()); err == nil {
		t.Error("a host that was refused for good goes on")
	}
	tb.take()
	if diff := cmp.Diff(no, tb.status.Closed); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
}

func TestABrowserThatWasRefusedTriesAgainWhenItIsAsked(t *testing.T) {
	r := newRoom(t)
	tb := &tab{t: t, changed: make(chan struct{}, 1), texts: map[event.CellID]view.Text{}}
	restored := make(chan struct{})
	tb.Host = browser.New(browser.Config{
		Replica: replica.New("x"), NewID: func() string { return "id" },
		Dial: func(context.Context) (protocol.Conn, error) {
			select {
			case <-restored:
				return r.Dial("person:ada", access.Owner), nil
			default:
				return nil, &protocol.Closed{Code: protocol.CodeNotFound, Message: "there is no such notebook"}
			}
		},
		Changed: func() {
			select {
			case tb.changed <- struct{}{}:
			default:
			}
		},
	})
	tb.page = tb.Open(0)
	run(t, func(ctx context.Context) error { tb.Keep(ctx); return nil })
	tb.until(func() bool { return tb.status.Closed != nil })
	close(restored)
	tb.Retry()
	tb.until(func() bool { return tb.status.Online && tb.status.Closed == nil })
}

func TestBadInputOfAPageIsAnError(t *testing.T) {
	tb := newRoom(t).open("ada", "").connect()
	for name, f := range map[string]func() error{
		"no JSON":         func() error { _, err := tb.Command(tb.page, []byte("{")); return err },
		"no such command": func() error { _, err := tb.Command(tb.page, []byte(`{"kind":"fly"}`)); return err },
		"no such page":    func() error { _, err := tb.Command(99, []byte(`{"kind":"undo"}`)); return err },
		"no such cell": func() error {
			_, err := tb.Push(tb.page, []byte(`{"cell":"none","version":1,"edits":[["x"]]}`))
			return err
		},
		"damaged push":     func() error { _, err := tb.Push(tb.page, []byte(`[]`)); return err },
		"damaged presence": func() error { return tb.Present([]byte(`7`)) },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// sees reports whether a tab shows another member in a cell.
func (tb *tab) sees(cell event.CellID) bool {
	return slices.ContainsFunc(tb.peers, func(p view.Peer) bool { return !p.Self && p.Presence.Cell == cell })
}

func TestOthersSeeWhereOneHasBeenSinceBeforeTheConnection(t *testing.T) {
	r := newRoom(t)
	ada := r.open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code"}`)
	ada.saved()
	bob := r.open("bob", "")
	if err := bob.Present([]byte(`{"cell":"` + string(cell) + `"}`)); err != nil {
		t.Fatal(err)
	}
	bob.connect()
	ada.until(func() bool { return ada.sees(cell) })
}

func TestOthersSeeWhereOneIsAfterTheConnectionWasLost(t *testing.T) {
	r := newRoom(t)
	ada := r.open("ada", "").connect()
	cell := ada.command(`{"kind":"addCell","cellKind":"code"}`)
	ada.saved()
	bob := r.open("bob", "").connect()
	if err := bob.Present([]byte(`{"cell":"` + string(cell) + `"}`)); err != nil {
		t.Fatal(err)
	}
	close((<-bob.lines).cut)
	<-bob.lines
	carol := r.open("carol", "").connect()
	carol.until(func() bool { return carol.sees(cell) })
}

func TestWhatAProgramOffersIsUndoneAtThePageThatRanIt(t *testing.T) {
	r := newRoom(t)
	ada := r.open("ada", "").connect()
	second := ada.Open(0)
	cell := ada.command(`{"kind":"addCell","cellKind":"code","source":"%load x.py"}`)
	ada.saved()
	if _, err := ada.Command(second, fmt.Appendf(nil, `{"kind":"runCells","cells":[%q]}`, cell)); err != nil {
		t.Fatal(err)
	}
	ada.saved()
	var id event.RunID
	if err := r.View(t.Context(), func(n *notebook.Notebook) { id = n.Cell(cell).Run }); err != nil {
		t.Fatal(err)
	}
	for _, p := range []event.Payload{
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunAssigned{Run: id, Epoch: 1}, &event.RunStarted{Run: id, Epoch: 1},
		&event.SourceOffered{Run: id, Epoch: 1, Cell: "made", Source: "# %load x.py\nx = 1", Replace: true},
		&event.RunFinished{Run: id, Epoch: 1, Status: event.StatusOK},
	} {
		if err := r.Submit(t.Context(), "runtime:rt", p); err != nil {
			t.Fatal(err)
		}
	}
	ada.until(func() bool { return ada.texts[cell].Source == "# %load x.py\nx = 1" })
	if _, err := ada.Command(second, []byte(`{"kind":"undo"}`)); err != nil {
		t.Fatal(err)
	}
	ada.until(func() bool { return ada.texts[cell].Source == "%load x.py" })
	ada.command(`{"kind":"undo"}`) // at the other page, that which was done there
	ada.saved()
	if err := r.View(t.Context(), func(n *notebook.Notebook) {
		if !n.Cell(cell).Deleted {
			t.Error("the first page has not undone that it added the cell")
		}
	}); err != nil {
		t.Fatal(err)
	}
}
