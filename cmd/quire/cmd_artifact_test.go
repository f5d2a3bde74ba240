package main

import (
	"strings"
	"testing"
)

func TestAnArtifactIsCheckedAgainstItsHash(t *testing.T) {
	const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"
	var b strings.Builder
	if err := copyChecked(&b, strings.NewReader("test"), hash); err != nil || b.String() != "test" {
		t.Errorf("got %q and %v", b.String(), err)
	}
	if err := copyChecked(&b, strings.NewReader("tes"), hash); exitCode(t.Context(), err) != exitFailed || !strings.Contains(err.Error(), "not the artifact") {
		t.Errorf("got %v for other content", err)
	}
}
