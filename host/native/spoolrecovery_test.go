package native_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
)

func TestAG67TextThatAKilledRuntimeHadNotStoredIsStoredForIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nb.rt.spool")
	spool, err := native.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	stated := event.Draft{ID: event.ID{Client: "c-o", N: 7}, Payload: &event.OutputAppended{Output: "c-o-o1", Run: "r", Epoch: 1, Text: "x"}}
	if err := spool.Keep(stated); err != nil {
		t.Fatal(err)
	}
	text, err := native.ScratchIn(dir)(runtime.Waiting{Output: "c-o-o2", Run: "r", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Write([]byte("printed")); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	drafts, err := native.RecoverSpool(t.Context(), dir, native.NewFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	if len(drafts) != 2 || drafts[1].ID.Client != "c-o" || drafts[1].ID.N <= drafts[0].ID.N {
		t.Fatalf("got %v, want what was stated and then what is stored", drafts)
	}
	got := drafts[1].Payload.(*event.OutputStored)
	a := got.Artifacts["text/plain"]
	got.Artifacts = nil
	if diff := cmp.Diff(&event.OutputStored{Output: "c-o-o2", Run: "r", Epoch: 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	content, err := os.ReadFile(folder + "/" + a.Hash)
	if err != nil || string(content) != "printed" || a.Size != 7 {
		t.Errorf("got %q of %d bytes and %v", content, a.Size, err)
	}
}

func TestWhatIsLeftOfARuntimeWithoutASpoolIsNothing(t *testing.T) {
	drafts, err := native.RecoverSpool(t.Context(), filepath.Join(t.TempDir(), "none"), native.NewFolder(t.TempDir()))
	if len(drafts) != 0 || err != nil {
		t.Errorf("got %v and %v", drafts, err)
	}
}
