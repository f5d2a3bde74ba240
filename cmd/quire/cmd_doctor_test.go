package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/doctor"
)

func TestDoctorExitsWithOneWhenSomethingIsBrokenAndWritesJSON(t *testing.T) {
	a, stdout, _ := offline()
	a.config.Data = filepath.Join(t.TempDir(), "new")
	if got := a.execute(t.Context(), []string{"doctor", "--json", "--python", "nonsense", "--addr", "127.0.0.1:0"}); got != exitFailed {
		t.Errorf("got exit code %d, want %d: %s", got, exitFailed, stdout)
	}
	var all []doctor.Finding
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if (f.State == doctor.Broken) != (f.Name == "python") {
			t.Errorf("got %+v, want python to be broken and nothing else", f)
		}
	}
}
