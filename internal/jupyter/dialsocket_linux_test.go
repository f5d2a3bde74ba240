package jupyter

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

func TestALinkToAnothersSocketIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	socket, link := filepath.Join(dir, "theirs"), filepath.Join(dir, "s-1")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Symlink(socket, link); err != nil {
		t.Fatal(err)
	}
	_, err = dialSocket(deadline(t), zmtp.Config{Network: "unix", Address: link, Kind: zmtp.Dealer})
	if err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("got %v, want that it is refused", err)
	}
}
