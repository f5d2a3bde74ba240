package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestAServerSaysThatLimitsDoNotHoldTogetherOrRefusesToStart(t *testing.T) {
	none := errors.New("read-only file system")
	for _, c := range []struct {
		name     string
		limits   limits
		required bool
		probe    error
		logged   string
		refused  bool
	}{
		{"no limits", limits{}, false, none, "", false},
		{"none, and required", limits{}, true, none, "", true},
		{"held", limits{Memory: 1 << 30}, true, nil, "", false},
		{"memory not held", limits{Memory: 1 << 30}, false, none, "for each program", false},
		{"processes not held", limits{Processes: 9}, false, none, "for each program", false},
		{"required and not held", limits{Processes: 9}, true, none, "", true},
	} {
		var log bytes.Buffer
		err := c.limits.sayHeld(c.required, func(limits) error { return c.probe }, slog.New(slog.NewTextHandler(&log, nil)))
		if (err != nil) != c.refused || c.refused && !errors.Is(err, none) {
			t.Errorf("%s: got %v, want refused %t", c.name, err, c.refused)
		}
		if got := log.String(); (got != "") != (c.logged != "") || !strings.Contains(got, c.logged) {
			t.Errorf("%s: got log %q, want %q in it", c.name, got, c.logged)
		}
	}
}
