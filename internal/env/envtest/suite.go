// Package envtest is the suite for every [env.Primitive]: one test for each promise in its
// comments. It needs sh, cat and sleep in the environment.
package envtest

import (
	"context"
	"testing"

	"github.com/quirehq/quire/internal/env"
)

// Open returns an environment with an empty workspace. The suite terminates it.
type Open func(t *testing.T) env.Primitive

// Suite tests a kind of environment.
func Suite(t *testing.T, open Open) {
	for _, part := range []struct {
		name string
		test func(*testing.T, env.Primitive)
	}{
		{"a program reads, writes and ends", testStreams},
		{"bytes pass as they are", testBytes},
		{"an exit code or a signal is told", testExits},
		{"input that comes too late is refused", testInputOver},
		{"arguments, folder and environment are as asked", testCommand},
		{"a program that is not there is an error", testMissing},
		{"a signal reaches the program", testSignal},
		{"a kill ends all that a program has started", testKill},
		{"what a program has started ends with it", testOrphans},
		{"a context that ends kills", testContext},
		{"files keep bytes, mode and hash", testFiles},
		{"a file is replaced whole", testReplace},
		{"lists are deep and sorted", testList},
		{"a missing file says so", testMissingFile},
		{"names do not lead out", testConfined},
		{"a link that leads out is refused", testLinks},
		{"a pipe is no file", testPipe},
		{"programs and files have one workspace", testShared},
		{"changes are told once it is ready", testWatch},
		{"a detached program has its input, folder and log", testDetached},
		{"a program that is not there is not detached", testDetachMissing},
		{"a detached program ends with all that it has started", testDetachedKill},
		{"a detached program outlives its context, and ends with the place", testDetachedContext},
		{"a name of no program means none", testUnknownNames},
		{"a folder is fetched, and one outside is not", testFetch},
		{"a terminated place is over", testTerminate},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			environment := open(t)
			t.Cleanup(func() {
				if err := environment.Terminate(context.WithoutCancel(t.Context())); err != nil {
					t.Errorf("terminate: %v", err)
				}
			})
			part.test(t, environment)
		})
	}
}
