package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
)

// wantState wants one finding in a state.
func wantState(t *testing.T, what string, found []finding, want state) {
	t.Helper()
	if len(found) != 1 || found[0].State != want || (found[0].Advice == "") != (want == stateOK) {
		t.Errorf("%s: got %+v, want one that is %s, with advice unless it is ok", what, found, want)
	}
}

func TestDoctorJudgesWhatItSees(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	wantState(t, "clock", lookAtClock(now, now.Add(-time.Hour)), stateOK)
	wantState(t, "clock of 1970", lookAtClock(time.Unix(0, 0), time.Time{}), stateBroken)
	wantState(t, "clock behind", lookAtClock(now, now.Add(time.Hour)), stateBroken)
	wantState(t, "many files", lookAtFiles(65536, true), stateOK)
	wantState(t, "few files", lookAtFiles(1024, true), stateWarn)
	wantState(t, "no files", lookAtFiles(64, true), stateBroken)
	wantState(t, "no proxy", lookAtProxies([]string{"HTTP_PROXY=", "PATH=/bin"}), stateOK)
	wantState(t, "a proxy", lookAtProxies([]string{"https_proxy=http://user:secret@proxy"}), stateWarn)
	if got := lookAtProxies([]string{"https_proxy=http://user:secret@proxy"}); strings.Contains(got[0].Detail, "secret") {
		t.Errorf("got %q, which shows a secret", got[0].Detail)
	}
}

func TestDoctorFindsAnAddressThatIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	wantState(t, "taken", lookAtAddr(t.Context(), listener.Addr().String()), stateBroken)
	wantState(t, "free", lookAtAddr(t.Context(), "127.0.0.1:0"), stateOK)
}

func TestDoctorFindsADataDirectoryThatCannotBeUsed(t *testing.T) {
	a, _, _ := offline()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.config.Data = filepath.Join(file, "data")
	wantState(t, "below a file", a.lookAtData(t.Context()), stateBroken)
	a.config.Data = ""
	wantState(t, "none", a.lookAtData(t.Context()), stateBroken)
	a.config.Data = filepath.Join(t.TempDir(), "new", "data")
	if got := a.lookAtData(t.Context()); got[0].State != stateOK || !strings.Contains(got[0].Detail, "not there yet") {
		t.Errorf("got %+v, want that it is not there yet", got)
	}
}

func TestDoctorFindsSecretsThatOthersCanRead(t *testing.T) {
	a, _, _ := offline()
	a.config.Data = t.TempDir()
	file := filepath.Join(a.config.Data, datadir.SecretFile)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.lookAtSecrets(t.Context()); got[0].State != stateWarn || !strings.Contains(got[0].Advice, "chmod go-rwx "+a.config.Data) {
		t.Errorf("a directory that others can list: got %+v, want a warning", got[0])
	}
	if err := os.Chmod(a.config.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := a.lookAtSecrets(t.Context()); got[0].State != stateOK {
		t.Errorf("got %+v, want that all is well", got[0])
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := a.lookAtSecrets(t.Context()); got[0].State != stateBroken || !strings.Contains(got[0].Advice, "chmod go-rwx "+file) {
		t.Errorf("got %+v, want what to do", got[0])
	}
}

func TestDoctorFindsADamagedDatabase(t *testing.T) {
	a, _, _ := offline()
	a.config.Data = t.TempDir()
	wantState(t, "none yet", a.lookAtDatabase(t.Context()), stateOK)
	if err := os.WriteFile(filepath.Join(a.config.Data, "quire.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, "damaged", a.lookAtDatabase(t.Context()), stateBroken)
}

func TestDoctorExitsWithOneWhenSomethingIsBrokenAndWritesJSON(t *testing.T) {
	a, stdout, _ := offline()
	a.config.Data = filepath.Join(t.TempDir(), "new")
	if got := a.execute(t.Context(), []string{"doctor", "--json", "--python", "nonsense", "--addr", "127.0.0.1:0"}); got != exitFailed {
		t.Errorf("got exit code %d, want %d: %s", got, exitFailed, stdout)
	}
	var all []finding
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if (f.State == stateBroken) != (f.Name == "python") {
			t.Errorf("got %+v, want python to be broken and nothing else", f)
		}
	}
}

func TestDoctorLooksAtThePythonOfTheServerThatItFound(t *testing.T) {
	a, _, _ := offline()
	a.config.Data = t.TempDir()
	if err := datadir.Announce(a.config.Data, datadir.Running{URL: "http://127.0.0.1:1", Token: "t", PID: 1, Key: datadir.Base64("key"), Python: "/nonexistent/python"}); err != nil {
		t.Fatal(err)
	}
	all := a.lookAtPython(t.Context())
	if len(all) != 1 || all[0].State != stateBroken || !strings.Contains(all[0].Detail, "/nonexistent/python") {
		t.Errorf("got %v, want that the server's Python is not there", all)
	}
}
