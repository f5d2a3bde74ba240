package directorytest_test

import (
	"testing"

	"github.com/quirehq/quire/core/directory/directorytest"
)

func TestMemoryKeepsTheRulesOfDirectories(t *testing.T) {
	directorytest.Suite(t, func(*testing.T) directorytest.Directory { return directorytest.NewMemory() })
}

func TestMemoryKeepsTheRulesOfArtifacts(t *testing.T) {
	directorytest.ArtifactSuite(t, func(*testing.T) directorytest.Artifacts { return directorytest.NewMemory() })
}
