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
	Kind string `json:"kind"` // hello, text, display, update, result, error, clear, comm, heard, ask, withdraw, pipes, settled, ending, reply, done

	// Of is the run that an output is of, when that is not the one that goes on; of pipes,
	// that of the processes that have them.
	Of   uint64 `json:"of"`
	Name string `json:"name"` // of text: the stream
	Text string `json:"text"`
	Main bool   `json:"main"` // of pipes: they take the place of those that the next run would have had

	Helper bool `json:"helper"` // of pipes: the process is a helper of Python's, which ends with the driver

	Version string `json:"version"` // of hello

	Data     map[string]json.RawMessage `json:"data"` // of display, update, result
	Metadata map[string]json.RawMessage `json:"metadata"`
	ID       string                     `json:"id"`

	Wait bool `json:"wait"` // of clear

	Prompt string `json:"prompt"` // of ask
	Secret bool   `json:"secret"`

	Run   uint64          `json:"run"`   // of done and reply; the number of the question of ask and withdraw
	Error *failure        `json:"error"` // of error, done and reply
	Shown bool            `json:"shown"` // of done, when an error message came before
	Exit  string          `json:"exit"`  // of done
	Offer *offer          `json:"offer"` // of done: a source for the notebook
	Value json.RawMessage `json:"value"` // of reply and comm

	Do      string   `json:"do"` // of comm, with ID and Metadata
	Target  string   `json:"target"`
	Buffers [][]byte `json:"buffers"`

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

// offer is lang.Offer as the driver writes it.
type offer struct {
	Source  string `json:"source"`
	Replace bool   `json:"replace"`
}

func (o *offer) shape() *lang.Offer {
	if o == nil {
		return nil
	}
	return &lang.Offer{Source: o.Source, Replace: o.Replace}
}

// exits are the ways out of a program, as the driver names them.
var exits = map[string]lang.Exit{"kept": lang.Exited, "gone": lang.ExitedGone}

// deliver tells the sink what the message says. The end of an earlier run and
// kinds we do not know say nothing.
func (m *message) deliver(sink lang.Sink) {
	bundle := lang.Bundle{Data: m.Data, Metadata: m.Metadata}
	switch m.Kind {
	case "text":
		sink.Stream(m.Name, m.Text)
	case "display":
		sink.Display(bundle, m.ID)
	case "update":
		sink.Update(m.ID, bundle)
	case "result":
		sink.Result(bundle, "")
	case "error":
		if m.Error != nil {
			sink.Fail(m.Error.shape())
		}
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

// The kinds of frames that the driver reads.
const (
	frameRun     = 'R' // the body is the execution count, eight bytes, and the source
	frameJoined  = 'J' // likewise, of a run that keeps the pipes of the one before
	frameRequest = 'Q' // the body is JSON that says what to do
	frameAnswer  = 'A' // the body is JSON: text, or why there is none
	frameMessage = 'M' // the body is JSON: what is sent over a comm
	frameDrain   = 'D' // end, but for the process itself
)

// frameHead is how long a frame is without its body.
const frameHead = 13

// frame is what the driver reads: a length, a kind, a number and a body.
func frame(kind byte, number uint64, body ...[]byte) []byte {
	size := 0
	for _, part := range body {
		size += len(part)
	}
	frame := make([]byte, 0, frameHead+size)
	frame = binary.BigEndian.AppendUint32(frame, uint32(size))
	frame = append(frame, kind)
	frame = binary.BigEndian.AppendUint64(frame, number)
	for _, part := range body {
		frame = append(frame, part...)
	}
	return frame
}

// runFrame is the frame of a run.
func runFrame(kind byte, number, count uint64, source string) []byte {
	return frame(kind, number, binary.BigEndian.AppendUint64(nil, count), []byte(source))
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
