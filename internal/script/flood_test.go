//go:build unix

package script

import (
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// TestEP4AFloodIsHeldBack measures the heap, so it is not parallel. The host holds back, so one language is enough.
func TestEP4AFloodIsHeldBack(t *testing.T) {
	langtest.Suite(t, func(t *testing.T) lang.Engine { return open(t, "javascript", Config{Dir: t.TempDir()}) }, langtest.Programs{
		Flood:     "{ const line = 'x'.repeat(1023); for (let i = 0; i < 40 * 1024; i++) console.log(line) }",
		FloodSize: 40 << 20,
	})
}
