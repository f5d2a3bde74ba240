package engines

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/lang"
)

// limitNote names the limit that caused an error.
type limitNote struct {
	text         string
	limit, value string // the flag of the limit that was hit, and its value; empty if it was none
}

// explainDeath names the limit by which an engine died, if it was one.
func (l limits) explainDeath(err error, end ending) (limitNote, error) {
	switch {
	case end.hits.Memory > 0 && l.Memory > 0:
		n := l.memoryNote()
		return n, fmt.Errorf("%w: it used more memory than it may: %s", lang.ErrDied, n.text)
	case end.full:
		n := l.diskNote()
		return n, fmt.Errorf("%w: its files took more than they may, and it went on: %s", lang.ErrDied, n.text)
	case l.hitTime(end):
		n := l.timeNote()
		return n, fmt.Errorf("%w; %s", err, n.text)
	case l.CPU > 0 && errors.As(err, new(*lang.SpentError)):
		n := l.cpuNote()
		return n, fmt.Errorf("%w; %s", err, n.text)
	}
	return limitNote{}, err
}

// note names the limit that caused an error, with its value. Its text is empty if the limit is
// not known.
func (l limits) note(end ending) limitNote {
	failed := end.err
	switch {
	case failed.Lack == lang.LackDisk:
		return l.diskNote()
	case l.Memory > 0 && (failed.Lack == lang.LackMemory || end.hits.Memory > 0):
		return l.memoryNote()
	case l.CPU > 0 && failed.Lack == lang.LackCPU:
		return l.cpuNote()
	case failed.Cause == lang.CauseTimedOut && l.hitTime(end):
		return l.timeNote()
	case l.FileSize > 0 && failed.Lack == lang.LackFileSize:
		return noteOf("file-size", bytesize.Text(l.FileSize))
	case l.Files > 0 && failed.Lack == lang.LackFiles:
		return noteOf("files", strconv.Itoa(l.Files))
	case l.Processes > 0 && (failed.Lack == lang.LackProcesses || end.hits.Processes > 0):
		return noteOf("processes", strconv.Itoa(l.Processes))
	case end.untrusted && (isOffline(failed) || failed.Lack == lang.LackAccess):
		return limitNote{text: untrustedNote}
	case end.offline && isOffline(failed):
		return limitNote{text: "the sandbox has no network (--sandbox-network)"}
	}
	return limitNote{}
}

// noteOf returns the note of a limit, whose text has its value.
func noteOf(limit, value string) limitNote {
	return limitNote{text: settings.Hit(limit, value), limit: limit, value: value}
}

// untrustedNote says why programs do not find files and hosts that exist.
const untrustedNote = "the notebook came from elsewhere: its programs see its own files alone, and no network, until you trust it (quire trust)"

// isOffline reports whether an error is that of a program that found no network. An installer says no more than that it
// failed.
func isOffline(e *lang.Error) bool { return e.Lack == lang.LackNetwork || e.Lack == lang.LackPackages }

// hitTime reports whether a run was ended by the limit of its time.
func (l limits) hitTime(end ending) bool {
	return l.RunTime > 0 && end.asked == l.RunTime && end.took >= l.RunTime
}

func (l limits) memoryNote() limitNote {
	return noteOf("memory", bytesize.Text(l.Memory))
}

func (l limits) cpuNote() limitNote {
	return noteOf("cpu", l.CPU.String())
}

func (l limits) timeNote() limitNote {
	return noteOf("run-time", l.RunTime.String())
}

func (l limits) diskNote() limitNote {
	value := fmt.Sprintf("%s in at most %d files", bytesize.Text(l.Disk), l.mostFiles())
	return noteOf("disk", value)
}
