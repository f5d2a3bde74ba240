package native

import (
	"testing"

	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/replica/replicatest"
)

func TestTheMemoryLogKeepsTheRulesOfLogs(t *testing.T) {
	replicatest.Suite(t, func(*testing.T) replica.Log { return newMemory() })
}
