package doctor

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
)

// wantState wants one finding in a state.
func wantState(t *testing.T, what string, found []Finding, want State) {
	t.Helper()
	if len(found) != 1 || found[0].State != want || (found[0].Advice == "") != (want == OK) {
		t.Errorf("%s: got %+v, want one that is %s, with advice unless it is ok", what, found, want)
	}
}

// addrChecker returns a checker of an address.
func addrChecker(addr string) *checker {
	c := &checker{}
	c.Settings.Addr = addr
	return c
}

func TestDoctorJudgesWhatItSees(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	wantState(t, "clock", checkClock(now, now.Add(-time.Hour)), OK)
	wantState(t, "clock of 1970", checkClock(time.Unix(0, 0), time.Time{}), Broken)
	wantState(t, "clock behind", checkClock(now, now.Add(time.Hour)), Broken)
	wantState(t, "many files", checkFiles(65536, true), OK)
	wantState(t, "few files", checkFiles(1024, true), Warning)
	wantState(t, "no files", checkFiles(64, true), Broken)
	wantState(t, "no proxy", checkProxies([]string{"HTTP_PROXY=", "PATH=/bin"}), OK)
	wantState(t, "a proxy", checkProxies([]string{"https_proxy=http://user:secret@proxy"}), Warning)
	if got := checkProxies([]string{"https_proxy=http://user:secret@proxy"}); strings.Contains(got[0].Detail, "secret") {
		t.Errorf("got %q, which shows a secret", got[0].Detail)
	}
}

func TestDoctorFindsAnAddressThatIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	wantState(t, "taken", addrChecker(listener.Addr().String()).checkAddr(t.Context()), Broken)
	wantState(t, "free", addrChecker("127.0.0.1:0").checkAddr(t.Context()), OK)
}

func TestDoctorFindsADataDirectoryThatCannotBeUsed(t *testing.T) {
	c := &checker{}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Settings.Data = filepath.Join(file, "data")
	wantState(t, "below a file", c.checkData(t.Context()), Broken)
	c.Settings.Data = ""
	wantState(t, "none", c.checkData(t.Context()), Broken)
	c.Settings.Data = filepath.Join(t.TempDir(), "new", "data")
	if got := c.checkData(t.Context()); got[0].State != OK || !strings.Contains(got[0].Detail, "not there yet") {
		t.Errorf("got %+v, want that it is not there yet", got)
	}
}

func TestDoctorFindsSecretsThatOthersCanRead(t *testing.T) {
	c := &checker{}
	c.Settings.Data = t.TempDir()
	file := filepath.Join(c.Settings.Data, datadir.SecretFile)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.checkSecrets(t.Context()); got[0].State != Warning || !strings.Contains(got[0].Advice, "chmod go-rwx "+c.Settings.Data) {
		t.Errorf("a directory that others can list: got %+v, want a warning", got[0])
	}
	if err := os.Chmod(c.Settings.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := c.checkSecrets(t.Context()); got[0].State != OK {
		t.Errorf("got %+v, want that all is well", got[0])
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := c.checkSecrets(t.Context()); got[0].State != Broken || !strings.Contains(got[0].Advice, "chmod go-rwx "+file) {
		t.Errorf("got %+v, want what to do", got[0])
	}
}

func TestDoctorFindsNoFaultInADataDirectoryThatAServerHasTaken(t *testing.T) {
	for _, name := range []string{"secret", "quire.db"} {
		c := &checker{}
		c.Settings.Data = t.TempDir()
		if err := os.WriteFile(filepath.Join(c.Settings.Data, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := datadir.Take(c.Settings.Data, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		wantState(t, name, c.checkOwners(), OK)
	}
}

func TestDoctorFindsADataDirectoryOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range []string{"", "secret", "quire.db"} {
		c := &checker{}
		c.Settings.Data = t.TempDir()
		if err := os.Chmod(c.Settings.Data, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(c.Settings.Data, name)
		if name != "" {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		wantState(t, name, c.checkOwners(), Broken)
	}
}

func TestDoctorFindsADamagedDatabase(t *testing.T) {
	c := &checker{}
	c.Settings.Data = t.TempDir()
	wantState(t, "none yet", c.checkDatabase(t.Context()), OK)
	if err := os.WriteFile(filepath.Join(c.Settings.Data, "quire.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, "damaged", c.checkDatabase(t.Context()), Broken)
}

func TestDoctorLooksAtThePythonOfTheServerThatItFound(t *testing.T) {
	c := &checker{}
	c.Settings.Data = t.TempDir()
	if err := datadir.Announce(c.Settings.Data, datadir.Running{URL: "http://127.0.0.1:1", Token: "t", PID: 1, Key: datadir.Base64("key"), Python: "/nonexistent/python"}); err != nil {
		t.Fatal(err)
	}
	all := c.checkPython(t.Context())
	if len(all) != 1 || all[0].State != Broken || !strings.Contains(all[0].Detail, "/nonexistent/python") {
		t.Errorf("got %v, want that the server's Python is not there", all)
	}
}

func TestDoctorJudgesTheDataDirectoryAndTheAddressAsServeDoes(t *testing.T) {
	c := &checker{}
	c.Settings.Data = filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), c.Settings.Data); err != nil {
		t.Fatal(err)
	}
	wantState(t, "a link to nothing", c.checkData(t.Context()), Broken)
	c.Settings.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(c.Settings.Data, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, "a folder of something else", c.checkData(t.Context()), Broken)

	for addr, want := range map[string]State{"127.0.0.1:0": OK, "0.0.0.0:0": Broken, "127.0.0.1": Broken, "127.0.0.1:99999": Broken} {
		c.Settings.Addr = addr
		wantState(t, addr, c.checkAddr(t.Context()), want)
	}
	c.Settings.Addr, c.Settings.Network.Exposed = "0.0.0.0:0", true
	wantState(t, "an address that is meant for others", c.checkAddr(t.Context()), OK)
}
