package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/browser"
)

// names returns what makes names that were never used.
func names(prefix string) func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("%s%d", prefix, n)
	}
}

// alone returns a host without a server, whose names begin with a text.
func alone(r *replica.Replica, id string) *browser.Host {
	return browser.New(browser.Config{
		Replica: r, NewID: names(id), Changed: func() {},
		Dial: func(context.Context) (protocol.Conn, error) { return nil, errors.New("there is no server") },
	})
}

// says is what a page may say to the core: a message with what it is. A # is a cell, an @ the
// number of a text's version.
var says = []string{
	`command {"kind":"addCell","cellKind":"code","source":"é🐎x\ny","after":"#"}`,
	`command {"kind":"addCell","cellKind":"markdown","source":""}`,
	`push {"cell":"#","version":@,"by":"e","edits":[[1,"a"],[0,"🐎"]]}`,
	`push {"cell":"#","version":@,"by":"f","edits":[[-1]],"join":true}`,
	`push {"cell":"#","version":0,"by":"e","edits":[[9999999999999],[-3,"x"]]}`,
	`command {"kind":"splitCell","cell":"#","at":[1]}`,
	`command {"kind":"mergeCells","cells":["#","id1","id2"]}`,
	`command {"kind":"moveCells","cells":["#"],"before":"id1"}`,
	`command {"kind":"deleteCells","cells":["#","#"]}`,
	`command {"kind":"restoreCells","cells":["#"]}`,
	`command {"kind":"changeKind","cells":["#","id1"],"cellKind":"raw"}`,
	`command {"kind":"changeLanguage","cells":["#"],"language":"r"}`,
	`command {"kind":"setVisibility","cells":["#"],"source":true,"outputs":false}`,
	`command {"kind":"pasteCells","items":[{"cellKind":"code","count":1,"source":"p","outputs":[{"kind":"stream","stream":"stdout","text":"1"}],"metadata":{"a":[1]}}],"after":"#"}`,
	`command {"kind":"replaceText","pieces":[{"cell":"#","at":@,"was":"x","text":"yy"},{"cell":"id1","at":0,"was":"","text":"é"}]}`,
	`command {"kind":"attach","cell":"#","key":"k","value":{"x":1},"at":@,"text":"t"}`,
	`command {"kind":"setTitle","title":"é"}`,
	`command {"kind":"setMetadata","key":"k","value":{"a":1}}`,
	`command {"kind":"runCells","cells":["#"],"keepGoing":true}`,
	`command {"kind":"cancelRuns"}`,
	`command {"kind":"answerInput","input":"i","value":"v"}`,
	`command {"kind":"clearOutputs","cells":["#"]}`,
	`command {"kind":"undo"}`,
	`command {"kind":"redo"}`,
	`command {"kind":"undo","cell":"#"}`,
	`command {"kind":"redo","cell":"#"}`,
	`present {"cell":"#","anchor":@,"head":2,"name":"x"}`,
	`take`,
	`open`,
	`other`,
}

// FuzzPages has a page say anything to the core, in any order: nothing breaks, what comes back is
// JSON, and what the browser is given to keep is the notebook that it shows. A move picks a message
// and a cell; other is one more message.
func FuzzPages(f *testing.F) {
	f.Add([]byte{0, 1, 2, 1, 5, 1, 22, 0, 23, 0, 26, 1, 27, 0}, `present {"anchor":-1,"name":"\ud800"}`)
	f.Add([]byte{0, 0, 1, 1, 13, 2, 14, 1, 6, 3, 8, 1, 9, 1, 22, 0, 22, 0, 22, 0, 23, 0}, `push {"cell":"","version":-1,"edits":[[-1]]}`)
	f.Add([]byte{0, 1, 3, 1, 3, 1, 24, 1, 25, 1, 28, 0, 29, 0, 18, 1, 19, 0}, `command {"kind":"attach","cell":"id1","key":"k","value":null,"at":99,"text":"t"}`)
	f.Add([]byte{29, 0}, `push {"edits":{}}`)
	f.Fuzz(func(t *testing.T, moves []byte, other string) {
		r := replica.New("browser")
		h := alone(r, "id")
		page := h.Open(0)
		for moves = moves[:min(len(moves), 120)]; len(moves) >= 2; moves = moves[2:] {
			message := says[int(moves[0])%len(says)]
			if message == "other" {
				message = other
			}
			message = strings.ReplaceAll(message, "#", fmt.Sprintf("id%d", moves[1]%8))
			what, data, _ := strings.Cut(strings.ReplaceAll(message, "@", fmt.Sprint(moves[1]/8)), " ")
			var out []byte
			var err error
			switch what {
			case "command":
				out, err = h.Command(page, []byte(data))
			case "push":
				_, err = h.Push(page, []byte(data))
			case "present":
				err = h.Present([]byte(data))
			case "take":
				out, err = h.Take(page)
			case "open":
				h.Open(0)
			}
			if err == nil && len(out) > 0 && !json.Valid(out) {
				t.Fatalf("%s: got %s", message, out)
			}
			if err != nil && (err.Error() == "" || what == "take") {
				t.Fatalf("%s: got the error %q", message, err)
			}
		}
		checkKept(t, h, r)
	})
}

// checkKept wants what the browser is given to keep to be the replica.
func checkKept(t *testing.T, h *browser.Host, r *replica.Replica) {
	t.Helper()
	data, err := h.Flush()
	if err != nil {
		t.Fatal(err)
	}
	if data == nil {
		return
	}
	var f browser.Flush
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(browser.Kept{State: f.State, Snapshot: f.Snapshot, Events: f.Events})
	if err != nil {
		t.Fatal(err)
	}
	again, err := browser.Resume(kept, names("again"))
	if err != nil || again.Client() != r.Client() || again.Pending() != r.Pending() {
		t.Fatalf("what was kept (%v) has %d pending events of %s, want %d of %s: %s", err, again.Pending(), again.Client(), r.Pending(), r.Client(), kept)
	}
	if got, want := shown(t, again), shown(t, r); got != want {
		t.Fatalf("what was kept is %s, want %s", got, want)
	}
}

// revision is in a snapshot how many edits a cell has had. Edits that wait are joined, so that a
// view which is folded again has fewer.
var revision = regexp.MustCompile(`,"rev":\d+`)

// shown returns the notebook as a page sees it.
func shown(t *testing.T, r *replica.Replica) string {
	t.Helper()
	data, err := r.View().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return revision.ReplaceAllString(string(data), "")
}

// FuzzKept resumes what a browser has kept, whatever became of it: there is always a replica to
// work with, and an error says what is lost.
func FuzzKept(f *testing.F) {
	r := replica.New("browser")
	h := alone(r, "id")
	page := h.Open(0)
	if _, err := h.Command(page, []byte(`{"kind":"addCell","cellKind":"code","source":"é🐎"}`)); err != nil {
		f.Fatal(err)
	}
	data, err := h.Flush()
	if err != nil {
		f.Fatal(err)
	}
	var kept browser.Flush
	if err := json.Unmarshal(data, &kept); err != nil {
		f.Fatal(err)
	}
	f.Add(kept.State, kept.Snapshot, "", "")
	f.Add(kept.State, kept.Snapshot, `{"seq":1,"id":"h.1","actor":"person:h","time":1,"type":"NotebookTitled","payload":{"title":"x"}}`, "")
	f.Add(kept.State, "{}", "{}", "")
	f.Add(`{"client":"c","counter":18446744073709551615}`, "", "", "")
	f.Add(`{"client":"browser","counter":1}`, "", "", "")
	f.Add("", "", "", `[]`)
	f.Add("", "", "", `{"events":{}}`)
	f.Fuzz(func(t *testing.T, state, snapshot, event, whole string) {
		data := []byte(whole)
		if whole == "" {
			k := browser.Kept{State: state, Snapshot: snapshot}
			if event != "" {
				k.Events = []string{event}
			}
			var err error
			if data, err = json.Marshal(k); err != nil {
				t.Fatal(err)
			}
		}
		r, err := browser.Resume(data, names("new"))
		if r == nil || err != nil && !strings.HasPrefix(err.Error(), "the copy of the notebook in this browser cannot be read: ") {
			t.Fatalf("got %v and %v", r, err)
		}
		h := alone(r, "a-name-that-was-not-used")
		page := h.Open(0)
		before := r.Pending()
		_, err = h.Command(page, []byte(`{"kind":"addCell","cellKind":"markdown","source":"x"}`))
		refolding := errors.Is(err, replica.ErrRefolding) // it has no snapshot, and waits for the server's
		if !refolding && (err != nil || r.Pending() != before+1) {
			t.Fatalf("a cell cannot be added: %v, %d pending events, and %d before", err, r.Pending(), before)
		}
		if out, err := h.Take(page); err != nil || !json.Valid(out) {
			t.Fatalf("got %s and %v", out, err)
		}
	})
}
