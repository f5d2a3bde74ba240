package blob_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/quirehq/quire/internal/blob"
)

// childStore is the variable that makes the test program an S3 store. It is a separate process,
// because all objects are in its memory, which must not count as ours.
const childStore = "QUIRE_BLOB_TEST_STORE"

// serveStore writes its address, and serves until its input ends.
func serveStore() {
	backend := s3mem.New()
	if err := backend.CreateBucket("books"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	store := httptest.NewServer(gofakes3.New(backend).Server())
	fmt.Println(store.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// startStore starts a store for the test, and returns an empty place in it.
func startStore(t *testing.T) blob.Place {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"=1")
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	place, err := blob.ParsePlace("s3://books/some/where?region=eu-1&endpoint=" + strings.TrimSpace(url))
	if err != nil {
		t.Fatal(err)
	}
	return place
}
