package python

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/ipython"
	"github.com/quirehq/quire/internal/pipehost"
)

// maxMessage bounds the length that is accepted: the driver sends 64 MiB at most.
const maxMessage = 65 << 20

// message is a message of the driver.
type message struct {
	Kind string `json:"kind"` // hello, text, display, update, result, error, clear, comm, heard, ask, withdraw, pipes, settled, ending, reply, done

	// Of is the run of an output, if that is not the current one; of pipes, the run of the
	// processes that hold them.
	Of   uint64 `json:"of"`
	Name string `json:"name"` // of text: the stream
	Text string `json:"text"`
	Main bool   `json:"main"` // of pipes: they replace the main pipes for the next run

	Helper bool `json:"helper"` // of pipes: the process is a helper of Python, which ends with the driver

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

	size int
}

// failure is the driver's form of lang.Error.
type failure struct {
	Name    string   `json:"name"`
	Message string   `json:"message"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Trace   []string `json:"trace"`
	Lack    string   `json:"lack"` // what the program could not have; empty if only the text may tell
}

func (f *failure) shape() *lang.Error {
	if f == nil {
		return nil
	}
	failed := &lang.Error{
		Name: f.Name, Message: f.Message, Line: f.Line, Column: f.Column, Trace: f.Trace,
		Lack: cmp.Or(lang.Lack(f.Lack), ipython.LackOf(f.Name, f.Message)),
	}
	if f.Name == spentName {
		failed.Cause, failed.Lack = lang.CauseLimit, lang.LackCPU
	}
	return failed
}

// offer is the driver's form of lang.Offer.
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

// exits are the driver's names of [lang.Exit].
var exits = map[string]lang.Exit{"kept": lang.Exited, "gone": lang.ExitedGone}

// deliver passes the output in the message to the sink. The end of an earlier run and unknown kinds
// are no output.
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

// The kinds of frames that the driver reads.
const (
	frameRun     = 'R' // the body is the execution count, eight bytes, and the source
	frameJoined  = 'J' // likewise, of a run that keeps the pipes of the one before
	frameRequest = 'Q' // the body is a request as JSON
	frameAnswer  = 'A' // the body is JSON: text, or why there is none
	frameMessage = 'M' // the body is a comm message as JSON
	frameDrain   = 'D' // end the program, but not the process
)

// frameHead is the size of a frame without its body.
const frameHead = 13

// frame encodes a frame: a length, a kind, a number and a body.
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

// readMessages returns a function that reads messages: a length, a mark and JSON each.
func readMessages(r io.Reader) func() (pipehost.Marked[*message], error) {
	return func() (pipehost.Marked[*message], error) { return readMessage(r) }
}

func readMessage(r io.Reader) (pipehost.Marked[*message], error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return pipehost.Marked[*message]{}, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size > maxMessage {
		return pipehost.Marked[*message]{}, errors.New("the driver sent a message that is too long")
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return pipehost.Marked[*message]{}, err
	}
	m := &message{size: len(body)}
	if err := json.Unmarshal(body, m); err != nil {
		return pipehost.Marked[*message]{}, fmt.Errorf("decode a message of the driver: %w", err)
	}
	return pipehost.Marked[*message]{Message: m, At: binary.BigEndian.Uint64(head[4:])}, nil
}
