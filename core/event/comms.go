package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// CommID names a comm: a channel between an object of a program and its view. The program chooses it.
type CommID string

// WidgetTarget is the target of the comms that have a state: the models of Jupyter's
// widgets.
const WidgetTarget = "jupyter.widget"

// Limits of what one event of a comm may hold.
const (
	maxBuffers = 10_000
	maxPath    = 64 // steps
)

// Buffer is bytes that JSON cannot hold.
type Buffer struct {
	// Path is the position of the bytes in the state: keys and indexes, the outermost first. Buffers of a message, and
	// of Data, have no path: their order identifies them.
	Path []json.RawMessage `json:"path,omitempty"`
	// Data is base64 of the bytes, unless they are an Artifact.
	Data     string    `json:"data,omitempty"`
	Artifact *Artifact `json:"artifact,omitempty"`
}

// Key returns the key of the state that the bytes belong to, and whether there is one.
func (b *Buffer) Key() (key string, ok bool) {
	if len(b.Path) == 0 || json.Unmarshal(b.Path[0], &key) != nil {
		return "", false
	}
	return key, true
}

// Check requires a path that begins with a key, and bytes in one place.
func (b *Buffer) Check() error {
	if len(b.Path) > maxPath {
		return fmt.Errorf("path has %d steps, at most %d fit", len(b.Path), maxPath)
	}
	for i, step := range b.Path {
		if !isStep(step, i == 0) {
			return fmt.Errorf("path[%d]: want a key, or an index behind the first key, got %s", i, step)
		}
	}
	if b.Artifact == nil {
		return checkBase64(b.Data)
	}
	if b.Data != "" {
		return fmt.Errorf("want data or an artifact, got both")
	}
	return b.Artifact.Check()
}

// isStep reports whether raw is a key or, unless it is the first, an index.
func isStep(raw json.RawMessage, first bool) bool {
	if !validJSON(raw) {
		return false
	}
	if raw[0] == '"' {
		return true
	}
	return !first && len(bytes.Trim(raw, "0123456789")) == 0
}

func checkBase64(data string) error {
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return fmt.Errorf("data is not base64: %w", err)
	}
	return nil
}

// CommOpened says that a program opened a comm. A comm with the target [WidgetTarget] begins with a state; any other
// has the Data that it was opened with.
type CommOpened struct {
	Comm   CommID `json:"comm"`
	Target string `json:"target"` // names the kind of the other end
	Run    RunID  `json:"run,omitempty"`
	Epoch  Epoch  `json:"epoch"`
	// Metadata is the metadata of the message: a widget's has the version of its protocol.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	State    map[string]json.RawMessage `json:"state,omitempty"`
	Data     json.RawMessage            `json:"data,omitempty"`
	Buffers  []Buffer                   `json:"buffers,omitempty"`
}

// Type returns CommOpened.
func (*CommOpened) Type() Type { return "CommOpened" }

// Check requires a comm, a target, an epoch, and well-formed contents.
func (e *CommOpened) Check() error {
	return firstError(checkComm(e.Comm, e.Epoch), checkText("target", e.Target, 1, MaxKey), checkOptionalRun(e.Run),
		checkBundle("metadata", e.Metadata), checkBundle("state", e.State), checkJSON("data", e.Data), checkBuffers(e.Buffers))
}

// CommUpdated says that keys of a comm's state have new values. A key is replaced together with all of its buffers. A
// key that has buffers only has no other value.
type CommUpdated struct {
	Comm    CommID                     `json:"comm"`
	Epoch   Epoch                      `json:"epoch"`
	State   map[string]json.RawMessage `json:"state,omitempty"`
	Buffers []Buffer                   `json:"buffers,omitempty"`
}

// Type returns CommUpdated.
func (*CommUpdated) Type() Type { return "CommUpdated" }

// Check requires a comm, an epoch, a key at least, and a path for every buffer.
func (e *CommUpdated) Check() error {
	if len(e.State)+len(e.Buffers) == 0 {
		return firstError(checkComm(e.Comm, e.Epoch), fmt.Errorf("state is missing"))
	}
	for i := range e.Buffers {
		if len(e.Buffers[i].Path) == 0 {
			return fmt.Errorf("buffers[%d]: path is missing", i)
		}
	}
	return firstError(checkComm(e.Comm, e.Epoch), checkBundle("state", e.State), checkBuffers(e.Buffers))
}

// CommSent says that a message was sent over a comm, for the members that are connected now.
type CommSent struct {
	Comm  CommID `json:"comm"`
	Epoch Epoch  `json:"epoch"`
	// From is the actor that sent the message to the program, as reported by the runtime; empty for a message from the
	// program.
	From    Actor           `json:"from,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
	Buffers []Buffer        `json:"buffers,omitempty"`
}

// Type returns CommSent.
func (*CommSent) Type() Type { return "CommSent" }

// Check requires a comm, an epoch, and well-formed contents.
func (e *CommSent) Check() error {
	return firstError(checkComm(e.Comm, e.Epoch), checkText("from", string(e.From), 0, MaxKey),
		checkJSON("content", e.Content), checkBuffers(e.Buffers))
}

// CommClosed says that the program closed a comm. Its state is gone.
type CommClosed struct {
	Comm  CommID `json:"comm"`
	Epoch Epoch  `json:"epoch"`
	// Content is the content of the closing message.
	Content json.RawMessage `json:"content,omitempty"`
}

// Type returns CommClosed.
func (*CommClosed) Type() Type { return "CommClosed" }

// Check requires a comm and an epoch.
func (e *CommClosed) Check() error {
	return firstError(checkComm(e.Comm, e.Epoch), checkJSON("content", e.Content))
}

// CommsLost says that the program behind comms ended while its runtime goes on. Their last state can still be shown,
// but no program answers.
type CommsLost struct {
	Epoch Epoch    `json:"epoch"`
	Comms []CommID `json:"comms"`
}

// Type returns CommsLost.
func (*CommsLost) Type() Type { return "CommsLost" }

// Check requires an epoch and a comm at least.
func (e *CommsLost) Check() error {
	if len(e.Comms) == 0 || len(e.Comms) > MaxBatch {
		return fmt.Errorf("comms: want 1 to %d, got %d", MaxBatch, len(e.Comms))
	}
	for i, id := range e.Comms {
		if err := checkName("comm", string(id)); err != nil {
			return fmt.Errorf("comms[%d]: %w", i, err)
		}
	}
	return checkEpoch(e.Epoch)
}

func checkComm(id CommID, epoch Epoch) error {
	return firstError(checkName("comm", string(id)), checkEpoch(epoch))
}

func checkOptionalRun(id RunID) error {
	if id == "" {
		return nil
	}
	return checkName("run", string(id))
}

func checkBuffers(buffers []Buffer) error {
	if len(buffers) > maxBuffers {
		return fmt.Errorf("buffers: %d are too many, at most %d fit", len(buffers), maxBuffers)
	}
	for i := range buffers {
		if err := buffers[i].Check(); err != nil {
			return fmt.Errorf("buffers[%d]: %w", i, err)
		}
	}
	return nil
}
