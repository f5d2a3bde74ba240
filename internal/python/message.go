package python

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quirehq/quire/core/lang"
)

// maxMessage bounds what we believe of a length: the driver sends 64 MiB at most.
const maxMessage = 65 << 20

// message is anything that the driver says.
type message struct {
	Kind string `json:"kind"` // hello, display, update, result, clear, done

	Version string `json:"version"` // of hello

	Data     map[string]json.RawMessage `json:"data"` // of display, update, result
	Metadata map[string]json.RawMessage `json:"metadata"`
	ID       string                     `json:"id"`

	Wait bool `json:"wait"` // of clear

	Run   uint64   `json:"run"` // of done
	Error *failure `json:"error"`

	mark uint64 // in both text pipes, where this message belongs
	size int
}

// failure is lang.Error as the driver writes it.
type failure struct {
	Name    string   `json:"name"`
	Message string   `json:"message"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Trace   []string `json:"trace"`
}

func (f *failure) shape() *lang.Error {
	if f == nil {
		return nil
	}
	return &lang.Error{Name: f.Name, Message: f.Message, Line: f.Line, Column: f.Column, Trace: f.Trace}
}

// deliver tells the sink what the message says. The end of an earlier run and
// kinds we do not know say nothing.
func (m *message) deliver(sink lang.Sink) {
	bundle := lang.Bundle{Data: m.Data, Metadata: m.Metadata}
	switch m.Kind {
	case "display":
		sink.Display(bundle, m.ID)
	case "update":
		sink.Update(m.ID, bundle)
	case "result":
		sink.Result(bundle)
	case "clear":
		sink.Clear(m.Wait)
	}
}

// writeSetup writes a length and JSON: the driver is not there yet to read more.
func writeSetup(w io.Writer, s setup) error {
	body, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the driver: %w", err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// writeRequest writes a length, the number of the run and its source.
func writeRequest(w io.Writer, run uint64, source string) error {
	frame := make([]byte, 0, 12+len(source))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(source)))
	frame = binary.BigEndian.AppendUint64(frame, run)
	_, err := w.Write(append(frame, source...))
	return err
}

// readMessage reads a length, a mark and JSON.
func readMessage(r io.Reader) (*message, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size > maxMessage {
		return nil, errors.New("the driver sent a message that is too long")
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	m := &message{mark: binary.BigEndian.Uint64(head[4:]), size: len(body)}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("decode a message of the driver: %w", err)
	}
	return m, nil
}
