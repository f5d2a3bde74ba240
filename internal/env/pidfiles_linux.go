package env

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// add names a process, and returns the file's name for remove.
func (p *PIDFiles) add(kind string, pid int) (string, error) {
	if p == nil {
		return "", nil
	}
	boot, err := bootID()
	if err != nil {
		return "", err
	}
	stat := proc.Stat(pid)
	if stat == nil {
		return "", nil // it has ended
	}
	name := filepath.Join(p.dir, fmt.Sprintf("%s.%d.%s.%s", kind, pid, stat[19], boot))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("write a PID file: %w", err)
	}
	return name, file.Close()
}

// remove removes a file that add made, once the process has ended.
func (p *PIDFiles) remove(name string) {
	if name != "" {
		_ = os.Remove(name) // one that stays names no process
	}
}

func bootID() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(boot)), err
}

// named is what a PID file says.
type named struct {
	kind string
	pid  int
	born string // the tick
	boot string
}

func parsePIDFile(name string) (named, bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 4 {
		return named{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	return named{parts[0], pid, parts[2], parts[3]}, err == nil && pid > 1
}

// sweepTime is how long what is killed may take to end.
const sweepTime = 10 * time.Second

// Sweep kills what is left of the programs that PID files name, with their mark, and removes
// the folder. It must be called only when the process that kept them has ended. It returns
// how many it killed. A process that has the number of one that has ended is left alone, and so
// are this one, those that it comes from, and those of other users, whatever a file says.
func Sweep(dir, mark string) (killed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	boot, err := bootID()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, entry := range entries {
		if n, ok := parsePIDFile(entry.Name()); ok && n.boot == boot {
			count, err := n.end(mark)
			killed += count
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return killed, err // the files say so to the next
	}
	return killed, os.RemoveAll(dir)
}

// end kills the process and, if it leads a session, those of the session.
func (n named) end(mark string) (killed int, err error) {
	for deadline := time.Now().Add(sweepTime); ; {
		left := n.left(mark)
		if len(left) == 0 {
			return killed, nil
		}
		if time.Now().After(deadline) {
			return killed, fmt.Errorf("processes %v were killed and do not end", left)
		}
		killed = max(killed, len(left))
		for _, pid := range left {
			if err := n.kill(pid, mark); err != nil {
				return killed, err
			}
		}
		time.Sleep(time.Millisecond) // nothing tells of the end of a session
	}
}

// left returns which processes have not ended.
func (n named) left(mark string) []int {
	all := []int{n.pid}
	if n.kind == leaderFile {
		of := strconv.Itoa(n.pid)
		all = append(all, proc.Find(func(stat [][]byte) bool { return string(stat[3]) == of }, n.pid)...)
	}
	return slices.DeleteFunc(all, func(pid int) bool { return !n.has(pid, mark) || !proc.MayEnd(pid) })
}

// has reports whether a process is the one that the file names, or of its session, and has
// not ended. A session that has lost its leader may have the number of one that a later
// process has led, so that the mark decides.
func (n named) has(pid int, mark string) bool {
	leader := proc.Stat(n.pid)
	isNamed := leader != nil && string(leader[19]) == n.born
	if pid == n.pid {
		return isNamed && isAlive(leader)
	}
	stat := proc.Stat(pid)
	return isAlive(stat) && string(stat[3]) == strconv.Itoa(n.pid) && (isNamed || leader == nil && carries(pid, mark))
}

// isAlive reports whether a process has not ended, by its [proc.Stat].
func isAlive(stat [][]byte) bool {
	return stat != nil && string(stat[0]) != "Z" && string(stat[0]) != "X"
}

// carries reports whether a process was started with the mark.
func carries(pid int, mark string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.Contains(strings.Split(string(environ), "\x00"), markVariable+"="+mark)
}

// kill kills a process if it still is what it was: its number cannot be another's while a
// descriptor of it was open before that was asked.
func (n named) kill(pid int, mark string) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if !n.has(pid, mark) {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	return nil
}
