package web_test

import (
	"io/fs"
	"regexp"
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
	worker, err := fs.ReadFile(app, "sw.js")
	if err != nil {
		t.Errorf("got %v, want the service worker beside the page", err)
	}
	for _, name := range regexp.MustCompile(`/assets/[\w.-]+\.\w+`).FindAllString(string(index)+string(worker), -1) {
		if _, err := fs.Stat(app, name[1:]); err != nil {
			t.Errorf("got %v, want what the page and its service worker name", err)
		}
	}
}
