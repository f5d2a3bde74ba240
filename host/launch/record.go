package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// record is a runtime that was started. It is kept in a file for the launcher of the next server.
type record struct {
	Notebook string          `json:"notebook"`
	Runtime  event.RuntimeID `json:"runtime"`
	Program  string          `json:"program"`        // its name in the environment
	Over     bool            `json:"over,omitempty"` // it must end
	Kept     bool            `json:"kept,omitempty"` // its token is kept, and not only signed
}

// UnmarshalJSON implements json.Unmarshaler. Records of earlier servers have the parts of the name that programs of this
// machine have: the PID and the birth.
func (r *record) UnmarshalJSON(data []byte) error {
	type plain record
	former := struct {
		*plain
		PID  int    `json:"pid"`
		Born string `json:"born"`
	}{plain: (*plain)(r)}
	if err := json.Unmarshal(data, &former); err != nil {
		return err
	}
	if r.Program == "" && former.Born != "" {
		r.Program = fmt.Sprintf("%d %s", former.PID, former.Born)
	}
	return nil
}

const recordSuffix = ".json"

func (r record) file(dir string) string {
	return filepath.Join(dir, r.Notebook+"."+string(r.Runtime)+recordSuffix)
}

// isAlive reports whether the program has not ended.
func (l *Launcher) isAlive(r record) bool { return l.Environment.IsRunning(r.Program) }

// readRecords returns the records in files, but for those of programs that have gone or
// cannot be runtimes of ours: they are removed, as are files that cannot be read.
func (l *Launcher) readRecords() ([]record, error) {
	dir := l.place()
	names, err := filepath.Glob(filepath.Join(dir, "*"+recordSuffix))
	if err != nil {
		return nil, err
	}
	var records []record
	for _, name := range names {
		var r record
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what runtimes there are: %w", err)
		}
		if json.Unmarshal(data, &r) == nil && r.file(dir) == name && l.isAlive(r) {
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

func (l *Launcher) writeLocked(r record) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(l.place(), 0o700)
	}
	if err != nil {
		return err
	}
	return l.Write(r.file(l.place()), data)
}

// forget forgets a runtime that has gone.
func (l *Launcher) forget(r record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = slices.DeleteFunc(l.records, func(other record) bool { return other.Runtime == r.Runtime })
	// A file that stays is of no process, which the next server sees.
	_ = os.Remove(r.file(l.place()))
}
