package datadir

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

func TestTheLimitsOfANotebookAreKeptAndNeverAboveTheServers(t *testing.T) {
	l := &NotebookSettings{Dir: t.TempDir(), Server: server.LimitValues{Memory: "2G", RunTime: "1h", Output: "1G"}}
	own := server.LimitValues{Memory: "512M", Files: "50", RunTime: "60m"}
	if err := l.SetLimits("nb", own); err != nil {
		t.Fatal(err)
	}
	next := &NotebookSettings{Dir: l.Dir, Server: l.Server}
	got, err := next.Limits("nb")
	want := server.NotebookLimits{Own: own, Most: l.Server}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, c := range map[string]struct {
		own  server.LimitValues
		want string
	}{
		"no use":   {server.LimitValues{Memory: "1K"}, `memory: with "1K" no program can run: want 32M or more`},
		"above":    {server.LimitValues{Memory: "2.5G"}, "memory: 2.5G is more than the server allows, which is 2G"},
		"no limit": {server.LimitValues{CPU: "soon"}, `cpu: "soon" is no time`},
		"negative": {server.LimitValues{Files: "-1"}, `files: "-1" is no number from 1`},
	} {
		if err := next.SetLimits("nb", c.own); !errors.Is(err, server.ErrLimit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if again, err := next.Limits("nb"); err != nil || again.Own != own {
		t.Errorf("got %+v, %v after what was refused, want the limits as they were", again.Own, err)
	}
}

func TestDamagedLimitsKeepARuntimeFromStarting(t *testing.T) {
	l := &NotebookSettings{Dir: t.TempDir()}
	if err := l.SetLimits("nb", server.LimitValues{Memory: "1G"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.limitsFile("nb"), []byte(`{"memory":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Limits("nb"); err == nil || !strings.Contains(err.Error(), "read the limits of the notebook") {
		t.Errorf("got %v, want that they cannot be read", err)
	}
}
