package engines

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestAServerSaysThatLimitsDoNotHoldTogetherOrRefusesToStart(t *testing.T) {
	none := errors.New("read-only file system")
	for _, c := range []struct {
		name     string
		limits   settings.Bounds
		required bool
		probe    error
		logged   string
		refused  bool
	}{
		{"no limits", settings.Bounds{}, false, none, "", false},
		{"none, and required", settings.Bounds{}, true, none, "", true},
		{"held", settings.Bounds{Memory: 1 << 30}, true, nil, "", false},
		{"memory not held", settings.Bounds{Memory: 1 << 30}, false, none, "for each program", false},
		{"processes not held", settings.Bounds{Processes: 9}, false, none, "for each program", false},
		{"required and not held", settings.Bounds{Processes: 9}, true, none, "", true},
	} {
		var log bytes.Buffer
		err := checkHeld(c.limits, c.required, func(settings.Bounds) error { return c.probe }, slog.New(slog.NewTextHandler(&log, nil)))
		if (err != nil) != c.refused || c.refused && !errors.Is(err, none) {
			t.Errorf("%s: got %v, want refused %t", c.name, err, c.refused)
		}
		if got := log.String(); (got != "") != (c.logged != "") || !strings.Contains(got, c.logged) {
			t.Errorf("%s: got log %q, want %q in it", c.name, got, c.logged)
		}
	}
}
