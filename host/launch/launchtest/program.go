package launchtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// The notebooks of the suite. Each says what its runtime does.
const (
	plain  = "plain"  // ends when the test closes its connection
	second = "second" // likewise
	deaf   = "deaf"   // starts a child, and ends by force only
	dying  = "dying"  // spools an event and dies
)

const (
	programVariable = "LAUNCHTEST_PROGRAM" // set for programs that a launcher starts
	childVariable   = "LAUNCHTEST_CHILD"   // the address to which a child reports
)

// lastWords is how a runtime dies.
const lastWords = "fatal error: out of memory"

// spooled is the event that the server has not got.
var spooled = event.Draft{
	ID:      event.ID{Client: "c", N: 1},
	Payload: &event.OutputAppended{Output: "c-o1", Run: "r", Epoch: 1, Text: "x"},
}

// report is what a program says of itself.
type report struct {
	Args, Environ []string
	Dir           string
}

// Program is the program that a launcher starts in place of a runtime. It returns at once in a
// process that is none.
func Program() {
	if os.Getenv(programVariable) == "" {
		return
	}
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

func program() error {
	if address := os.Getenv(childVariable); address != "" {
		if _, err := say(address); err != nil {
			return err
		}
		return rest()
	}
	token, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	address := strings.TrimSpace(token)
	switch flag("--notebook") {
	case deaf:
		return beDeaf(address)
	case dying:
		return die(address)
	}
	conn, err := say(address)
	if err != nil {
		return err
	}
	_, _ = bufio.NewReader(conn).ReadByte() // the test closes it
	return nil
}

func beDeaf(address string) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if _, err := say(address); err != nil {
		return err
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+address)
	if err := child.Start(); err != nil {
		return err
	}
	return rest()
}

func die(address string) error {
	spool, err := native.OpenSpool(flag("--spool"))
	if err != nil {
		return err
	}
	if err := spool.Keep(spooled); err != nil {
		return err
	}
	if _, err := say(address); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, lastWords)
	os.Exit(3)
	return nil
}

// say reports to the test.
func say(address string) (net.Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return conn, json.NewEncoder(conn).Encode(report{Args: os.Args[1:], Environ: os.Environ(), Dir: dir})
}

// rest does nothing until the process is killed.
func rest() error {
	for {
		time.Sleep(time.Hour)
	}
}

// flag returns the value of a flag of the command line.
func flag(name string) string {
	if i := slices.Index(os.Args, name); i >= 0 && i+1 < len(os.Args) {
		return os.Args[i+1]
	}
	return ""
}
