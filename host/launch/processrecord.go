package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// processRecord is a runtime that was started as a process. It is kept in a file for the
// launcher of the next server.
type processRecord struct {
	Notebook string          `json:"notebook"`
	Runtime  event.RuntimeID `json:"runtime"`
	PID      int             `json:"pid"`
	Born     string          `json:"born"`           // tells the process from a later one with its number
	Over     bool            `json:"over,omitempty"` // it must end
	Kept     bool            `json:"kept,omitempty"` // its token is kept, and not only signed
}

func (r processRecord) file(dir string) string {
	return filepath.Join(dir, r.Notebook+"."+string(r.Runtime)+".json")
}

// isAlive reports whether the process is there. Its number may be another's by now.
func (l *Launcher) isAlive(r processRecord) bool {
	return r.Born != "" && l.Processes.Born(r.PID) == r.Born
}

// readRecords returns the records in files, but for those of processes that have gone or
// cannot be runtimes of ours: they are removed, as are files that cannot be read.
func (l *Launcher) readRecords() ([]processRecord, error) {
	dir := l.place()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var records []processRecord
	for _, name := range names {
		var r processRecord
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what runtimes there are: %w", err)
		}
		if json.Unmarshal(data, &r) == nil && r.file(dir) == name && l.isAlive(r) && l.Processes.Check(r.PID) == nil {
			records = append(records, r)
		} else if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// Former returns the runtimes that a server has started before tokens were kept.
func (l *Launcher) Former() []event.RuntimeID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []event.RuntimeID
	for _, r := range l.records {
		if !r.Kept {
			ids = append(ids, r.Runtime)
		}
	}
	return ids
}

func (l *Launcher) writeLocked(r processRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.Write(r.file(l.place()), data)
}

// forget forgets a runtime that has gone.
func (l *Launcher) forget(r processRecord) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = slices.DeleteFunc(l.records, func(other processRecord) bool { return other.Runtime == r.Runtime })
	// A file that stays is of no process, which the next server sees.
	_ = os.Remove(r.file(l.place()))
}
