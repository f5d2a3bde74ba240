package settings

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

func TestAServerThatAllowsLessLaterLowersTheLimitsOfNotebooks(t *testing.T) {
	own := server.LimitValues{Memory: "2G", RunTime: "10m", Files: "50", Processes: "1"}
	got := Within(own, server.LimitValues{Memory: "1G", RunTime: "1h", CPU: "1h"})
	if diff := cmp.Diff(server.LimitValues{Memory: "1G", RunTime: "10m", CPU: "1h", Files: "50", Processes: "8"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALimitIsSetOrTakenAwayAndTheOthersStay(t *testing.T) {
	own := server.LimitValues{Memory: "2G", RunTime: "10m"}
	got := Changed(own, server.LimitValues{Memory: "none", Files: "7"})
	if diff := cmp.Diff(server.LimitValues{RunTime: "10m", Files: "7"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
