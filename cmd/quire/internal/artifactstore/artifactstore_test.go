package artifactstore

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
)

func TestProgramsOfRuntimesDoNotGetTheKeysOfTheStore(t *testing.T) {
	environ := []string{"AWS_ACCESS_KEY_ID=a", "AWS_REGION=r", "AWS_SECRET_ACCESS_KEY=s", "AWS_SESSION_TOKEN=t", "PATH=p"}
	for place, want := range map[string][]string{
		"":              environ,
		"/some/where":   environ,
		"s3://books/me": {"AWS_REGION=r", "PATH=p"},
	} {
		if diff := cmp.Diff(want, WithoutKeys(place, environ)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", place, diff)
		}
	}
}

// keepsOne puts an artifact into the store of a data directory, reads it, and returns the directory.
func keepsOne(t *testing.T, texts settings.ArtifactConfig) (dir string) {
	t.Helper()
	dir = t.TempDir()
	store, leave, err := Open(t.Context(), dir, make([]byte, datadir.SecretSize), nil, texts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	a, err := store.Bytes.Put(t.Context(), strings.NewReader("kept"), func(event.Artifact) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := store.Bytes.Open(t.Context(), a.Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); err != nil || string(data) != "kept" {
		t.Errorf("got %q and %v", data, err)
	}
	return dir
}

func TestArtifactsAreKeptInTheDataDirectoryUnlessAnotherPlaceIsSet(t *testing.T) {
	dir := keepsOne(t, settings.ArtifactConfig{})
	if _, err := os.Stat(filepath.Join(dir, "artifacts", ownerFile)); err != nil {
		t.Error(err)
	}
	other := t.TempDir()
	dir = keepsOne(t, settings.ArtifactConfig{Place: other})
	if _, err := os.Stat(filepath.Join(other, ownerFile)); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("got %v and %v in the data directory, want nothing", list, err)
	}
}

const ownerFile = "owner"

func TestArtifactsAreKeptInAStoreWithTheKeysAndTheRegionOfTheEnvironment(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("books"); err != nil {
		t.Fatal(err)
	}
	store := httptest.NewServer(gofakes3.New(backend).Server())
	defer store.Close()
	texts := settings.ArtifactConfig{Place: "s3://books/quire?endpoint=" + store.URL, Region: "eu-1", Keys: settings.StoreKeys{Access: "a", Secret: "s"}}
	dir := keepsOne(t, texts)
	objects, err := backend.ListBucket("books", nil, gofakes3.ListBucketPage{})
	if err != nil || len(objects.Contents) != 2 {
		t.Errorf("got %v and %v, want the artifact and whose it is", objects, err)
	}
	another := func() error {
		_, _, err := Open(t.Context(), t.TempDir(), []byte("another"), nil, texts)
		return err
	}
	if err := another(); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("got %v, want that the place is %s's", err, dir)
	}
	texts.Place = strings.Replace(texts.Place, "books", "none", 1)
	if err := another(); err == nil || !strings.Contains(err.Error(), "there is no such bucket, make it first") {
		t.Errorf("got %v, want that there is no bucket", err)
	}
}
