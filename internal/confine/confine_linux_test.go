//go:build amd64 || arm64

package confine

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain has this program try to leave its confinement where it is started for that.
func TestMain(m *testing.M) {
	if dir := os.Getenv("QUIRE_TEST_CONFINED"); dir != "" {
		escape(dir)
		return
	}
	os.Exit(m.Run())
}

// escape confines the process, tries everything, and prints what worked.
func escape(dir string) {
	file, link, out := filepath.Join(dir, "secret"), filepath.Join(dir, "link"), filepath.Join(dir, "out")
	zone := time.Now().Local().Format("MST")
	threads := make(chan error) // a thread that is there already
	go func() {
		runtime.LockOSThread()
		<-threads
		_, err := os.ReadFile(file)
		threads <- err
	}()
	if err := Process(); err != nil {
		fmt.Println("unsupported:", err)
		return
	}
	threads <- nil
	tried := map[string]error{"a file from another thread": <-threads}
	_, tried["a file"] = os.ReadFile(file)
	_, tried["a link"] = os.ReadFile(link)
	_, tried["a path upwards"] = os.ReadFile(dir + "/../" + filepath.Base(dir) + "/secret")
	_, tried["the environment of the process"] = os.ReadFile("/proc/self/environ")
	_, tried["memory of the process"] = os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	_, tried["a folder"] = os.ReadDir(dir)
	tried["writing"] = os.WriteFile(out, nil, 0o600)
	tried["removing"] = os.Remove(file)
	tried["renaming"] = os.Rename(file, out)
	tried["linking"] = os.Symlink(file, out)
	tried["a mode"] = os.Chmod(file, 0o777)
	tried["a folder to make"] = os.Mkdir(out, 0o700)
	tried["a program"] = exec.Command("/bin/true").Run()
	tried["the parent"] = syscall.Kill(os.Getppid(), 0)
	for _, family := range []int{syscall.AF_INET, syscall.AF_INET6, syscall.AF_UNIX, syscall.AF_NETLINK} {
		for _, kind := range []int{syscall.SOCK_STREAM, syscall.SOCK_DGRAM, syscall.SOCK_RAW} {
			_, tried[fmt.Sprintf("a socket %d/%d", family, kind)] = syscall.Socket(family, kind, 0)
		}
	}
	_, tried["a connection"] = net.Dial("tcp", "127.0.0.1:1")
	for name, err := range tried {
		if !errors.Is(err, os.ErrPermission) {
			fmt.Printf("%s: %v\n", name, err)
		}
	}
	done := make(chan []byte)
	go func() { // memory, threads and clocks work
		runtime.LockOSThread()
		all := bytes.Repeat([]byte("x"), 64<<20)
		runtime.GC()
		time.Sleep(time.Millisecond)
		done <- all
	}()
	if len(<-done) == 64<<20 && time.Now().Local().Format("MST") == zone {
		fmt.Println("works")
	}
}

func TestAConfinedProcessReachesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "QUIRE_TEST_CONFINED="+dir)
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if strings.HasPrefix(string(got), "unsupported") {
		t.Skip(string(got))
	}
	if string(got) != "works\n" {
		t.Errorf("got\n%s\nwant everything refused, and the process to work", got)
	}
}
