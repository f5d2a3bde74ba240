package python

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// Install implements lang.Installer with the pip of the interpreter, or with uv if it has none. An
// error of the installer has the end of its output. After an interrupt the error is a *lang.Error
// with that cause.
func (e *Engine) Install(ctx context.Context, packages []string, sink lang.Sink) error {
	for _, name := range packages {
		if strings.HasPrefix(name, "-") || strings.TrimSpace(name) == "" {
			return fmt.Errorf("%q is not a package", name)
		}
	}
	if len(packages) == 0 {
		return nil
	}
	tail := &tailSink{Sink: sink}
	value, err := e.performRequest(ctx, request{Do: "install", Packages: packages}, tail)
	if err != nil {
		return err
	}
	var installed struct {
		With   string `json:"with"`
		Status int    `json:"status"`
	}
	if err := json.Unmarshal(value, &installed); err != nil {
		return fmt.Errorf("decode the reply of the driver: %w", err)
	}
	if installed.Status != 0 {
		return fmt.Errorf("%s install %s ended with status %d: %s",
			installed.With, strings.Join(packages, " "), installed.Status, tail.end())
	}
	return nil
}

// tailLines and tailSize bound the output that an error repeats.
const (
	tailLines = 10
	tailSize  = 4 << 10
)

// tailSink passes output on and keeps the end of its text.
type tailSink struct {
	lang.Sink
	kept string
}

// Stream implements lang.Sink.
func (s *tailSink) Stream(name, text string) {
	s.Sink.Stream(name, text)
	s.kept += text[max(0, len(text)-tailSize):]
	s.kept = s.kept[max(0, len(s.kept)-tailSize):]
}

// end returns the last lines of the text.
func (s *tailSink) end() string {
	lines := slices.DeleteFunc(strings.Split(strings.ToValidUTF8(s.kept, ""), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
