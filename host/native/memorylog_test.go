package native

import (
	"testing"

	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestTheMemoryLogKeepsTheRulesOfLogs(t *testing.T) {
	roomtest.Suite(t, func(*testing.T) room.Log { return newMemory() })
}
