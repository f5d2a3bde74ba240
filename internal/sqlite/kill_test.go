package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/internal/sqlite"
)

// childDir is the variable that makes the test program append to the logs of a directory until it
// is killed.
const childDir = "QUIRE_SQLITE_TEST_DIR"

const killedLogs = 3

// appendUntilKilled appends to all logs at once and writes "log number" after each
// acknowledgement.
func appendUntilKilled(dir string) {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Quiet: time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := make(chan error)
	for i := range killedLogs {
		go func() { failed <- appendForever(ctx, db, i) }()
	}
	fmt.Fprintln(os.Stderr, <-failed)
	os.Exit(3)
}

func appendForever(ctx context.Context, db *sqlite.DB, i int) error {
	log := db.Log(strconv.Itoa(i))
	last, err := log.Last(ctx)
	for n := 1; err == nil; n = n%40 + 1 {
		err = log.Append(ctx, room.Batch{After: last, Records: roomtest.Records(last, n)})
		last += event.Seq(n)
		if err == nil {
			_, err = fmt.Printf("%d %d\n", i, last)
		}
		if err == nil && n == 40 {
			err = db.Compact(ctx, strconv.Itoa(i))
		}
	}
	return err
}

func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	for i := range killedLogs {
		openLog(t, db, strconv.Itoa(i))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 6 {
		acked := killAfter(t, dir, 1+random.IntN(150), time.Duration(random.IntN(3000))*time.Microsecond)
		db := open(t, sqlite.Config{Dir: dir})
		for i, want := range acked {
			log := db.Log(strconv.Itoa(i))
			got, err := log.Last(t.Context())
			if err != nil || got < want {
				t.Errorf("round %d, log %d: got last number %d and %v, want %d acknowledged ones", round, i, got, err, want)
			}
			wantCount(t, log, int(got))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killAfter runs a child, kills it a moment after a number of acknowledgements, and returns the
// last acknowledged number of each log.
func killAfter(t *testing.T, dir string, acks int, moment time.Duration) [killedLogs]event.Seq {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var last [killedLogs]event.Seq
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == acks {
			time.AfterFunc(moment, func() { _ = child.Process.Kill() })
		}
		var log int
		var seq event.Seq
		// The kill may cut off the last line.
		if got, _ := fmt.Sscanf(lines.Text(), "%d %d", &log, &seq); got == 2 && seq > last[log] {
			last[log] = seq
		}
	}
	if err := child.Wait(); err == nil || child.ProcessState.ExitCode() != -1 {
		t.Fatalf("child: got %v, want it killed", err)
	}
	return last
}

func TestASecondProcessIsRefusedAndTold(t *testing.T) {
	dir := t.TempDir()
	open(t, sqlite.Config{Dir: dir})
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.CombinedOutput()
	want := fmt.Sprintf("data directory %s is in use by process %d; stop it or choose another directory with --data\n",
		filepath.Clean(dir), os.Getpid())
	if err == nil || string(out) != want {
		t.Errorf("got %v and %q, want %q", err, out, want)
	}
}
