//go:build unix

package jupyter

import (
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// BenchmarkRoundTrip measures the overhead of an execution: the fake kernel only answers.
func BenchmarkRoundTrip(b *testing.B) {
	engine := open(b, fakeKernel(b))
	if err := engine.Load(deadline(b), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := engine.Execute(b.Context(), lang.Request{Source: "ok"}, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}
