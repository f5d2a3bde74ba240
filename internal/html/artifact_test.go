package html_test

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/internal/html"
)

// outputsPage writes a page with outputs, whose artifacts are in a store by hash.
func outputsPage(t *testing.T, stored map[string]string, outputs ...event.Output) string {
	t.Helper()
	n := notebook.New()
	for _, p := range []event.Payload{
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "R"}, &event.OutputsImported{Cell: "a", Outputs: outputs},
	} {
		if _, err := n.Apply(&event.Event{Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	page, err := html.Export(n, html.Options{Open: func(a event.Artifact) (io.ReadCloser, error) {
		content, ok := stored[a.Hash]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(content)), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(page))
}

func artifactOf(mime, hash string, size int) map[string]event.Artifact {
	return map[string]event.Artifact{mime: {Hash: strings.Repeat(hash, 32), Size: int64(size)}}
}

func TestWhatLiesOutsideTheLogIsInThePage(t *testing.T) {
	page := outputsPage(t, map[string]string{strings.Repeat("aa", 32): "\x89PNG\r\n\x1a\n", strings.Repeat("bb", 32): "10 %\r20 %\nall of it\n", strings.Repeat("cc", 32): "<b>bold</b><script>x</script>"},
		event.Output{Kind: event.OutputDisplay, Artifacts: artifactOf("image/png", "aa", 8)},
		event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "the end", Artifacts: artifactOf("text/plain", "bb", 20)},
		event.Output{Kind: event.OutputDisplay, Artifacts: artifactOf("text/html", "cc", 29)},
	)
	for _, want := range []string{"data:image/png;base64,iVBORw0KGgo=", "20 %\nall of it", "<b>bold</b>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"the end", "10 %", "<script", "not in this file"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

func TestWhatIsTooLargeForAPageOrNotThereIsNamed(t *testing.T) {
	page := outputsPage(t, nil,
		event.Output{Kind: event.OutputDisplay, Artifacts: artifactOf("image/png", "aa", 17<<20)},
		event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "the end", Artifacts: artifactOf("text/plain", "bb", 20)},
	)
	for _, want := range []string{
		"image/png of 17825792 bytes is not in this file: sha256 " + strings.Repeat("aa", 32), "the end",
		"text/plain of 20 bytes is not in this file: sha256 " + strings.Repeat("bb", 32),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
