package browser_test

import (
	"testing"

	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/view"
)

// applied returns what an update makes of a source.
func applied(t *testing.T, source string, u view.TextUpdate) string {
	t.Helper()
	whole := text.NewText(source)
	if err := whole.Apply(u.Edit); err != nil {
		t.Fatal(err)
	}
	return whole.String()
}
