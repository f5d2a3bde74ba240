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

// add records a process, and returns the file's name for remove.
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

// remove removes a file of add, once the process has ended.
func (p *PIDFiles) remove(name string) {
	if name != "" {
		_ = os.Remove(name) // a stale file matches no process
	}
}

func bootID() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(boot)), err
}

// pidFile is the content of a PID file's name.
type pidFile struct {
	kind string
	pid  int
	born string // start time, in ticks
	boot string
}

func parsePIDFile(name string) (pidFile, bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 4 {
		return pidFile{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	return pidFile{parts[0], pid, parts[2], parts[3]}, err == nil && pid > 1
}

// sweepTime bounds the time until killed processes have ended.
const sweepTime = 10 * time.Second

// Sweep kills the remaining processes of the programs in PID files, if they have the mark, and
// removes the folder. It must be called only after the recording process has ended. It returns the
// number of killed processes. A process with a reused PID, this process, its ancestors, and
// processes of other users are left alone, even if a file names them.
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
		return killed, err // the files stay for the next sweep
	}
	return killed, os.RemoveAll(dir)
}

// end kills the process and, if it leads a session, those of the session.
func (n pidFile) end(mark string) (killed int, err error) {
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
		time.Sleep(time.Millisecond) // there is no event for the end of a session
	}
}

// left returns the processes that have not ended.
func (n pidFile) left(mark string) []int {
	all := []int{n.pid}
	if n.kind == leaderFile {
		of := strconv.Itoa(n.pid)
		all = append(all, proc.Find(func(stat [][]byte) bool { return string(stat[3]) == of }, n.pid)...)
	}
	return slices.DeleteFunc(all, func(pid int) bool { return !n.has(pid, mark) || !proc.MayEnd(pid) })
}

// has reports whether a process is the recorded one or of its session, and has not ended. The
// session id of a leader that has ended may be reused, so the mark decides.
func (n pidFile) has(pid int, mark string) bool {
	leader := proc.Stat(n.pid)
	isNamed := leader != nil && string(leader[19]) == n.born
	if pid == n.pid {
		return isNamed && isAlive(leader)
	}
	stat := proc.Stat(pid)
	return isAlive(stat) && string(stat[3]) == strconv.Itoa(n.pid) && (isNamed || leader == nil && hasMark(pid, mark))
}

// isAlive reports by a [proc.Stat] whether a process has not ended.
func isAlive(stat [][]byte) bool {
	return stat != nil && string(stat[0]) != "Z" && string(stat[0]) != "X"
}

// hasMark reports whether a process was started with the mark.
func hasMark(pid int, mark string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.Contains(strings.Split(string(environ), "\x00"), markVariable+"="+mark)
}

// kill kills a process if it is still the same: its PID cannot be reused while a pidfd that was
// opened before the check is open.
func (n pidFile) kill(pid int, mark string) error {
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
