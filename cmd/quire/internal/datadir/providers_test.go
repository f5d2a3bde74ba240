package datadir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProvidersAreKeptInAFileForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	p := Providers{Dir: dir}
	if got, err := p.List(); err != nil || len(got) != 0 {
		t.Errorf("got %v and %v, want none at first", got, err)
	}
	want := []Provider{
		{Name: "cloud", Kind: "openai", URL: "https://host/v1", Key: "s3cret"},
		{Name: "demo", Kind: "scripted", Script: "/tmp/turns.json"},
	}
	for _, one := range slices.Backward(want) {
		if err := p.Set(one); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.List()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	path := filepath.Join(dir, providersFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file for its owner only", info, err)
	}
	if !slices.Contains(Secrets(dir), path) {
		t.Error("the file is not among the secrets of the directory")
	}
	if err := p.Remove("demo"); err != nil {
		t.Error(err)
	}
	if err := p.Remove("demo"); err == nil {
		t.Error("got no error of a provider that is removed twice")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.List(); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("got %v, want a file that others read to be refused", err)
	}
}

func TestMO2NoErrorOrPrintOfProvidersHasAKey(t *testing.T) {
	p := Providers{Dir: t.TempDir()}
	one := Provider{Name: "Bad Name", Kind: "openai", Key: "s3cret"}
	if err := p.Set(one); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v, want a refused name", err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, one) + fmt.Sprintf(format, []Provider{one}); strings.Contains(text, "s3cret") {
			t.Errorf("%s: got %s", format, text)
		}
	}
	if err := os.WriteFile(filepath.Join(p.Dir, providersFile), []byte(`{"a": {"key": "s3cret"}, "b": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.List(); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v, want what to do", err)
	}
}
