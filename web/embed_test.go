package web_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/quirehq/quire/web"
)

func TestThePageIsThereWholeOrNotAtAll(t *testing.T) {
	app, err := web.App()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(app, ".keep"); err != nil {
		t.Errorf("got %v, want the file that the build keeps", err)
	}
	index, err := fs.ReadFile(app, "index.html")
	if err != nil {
		return // it was not built
	}
	if frame, err := fs.ReadFile(app, "frame.html"); err != nil || strings.Contains(string(frame), "/assets/") || strings.Contains(string(frame), "/src/") {
		t.Errorf("got %v and %s, want the frame of outputs beside the page, in one file", err, frame)
	}
	for part := range strings.SplitSeq(string(index), `"/assets/`) {
		name, _, found := strings.Cut(part, `"`)
		if !found || strings.Contains(name, "<") {
			continue
		}
		if _, err := fs.Stat(app, "assets/"+name); err != nil {
			t.Errorf("got %v, want what the page names", err)
		}
	}
}
