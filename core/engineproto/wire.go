package engineproto

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the greatest length of a message in its JSON form, without the line end.
const MaxLine = 64 << 20

// ErrTooLong says that a message is longer than [MaxLine].
var ErrTooLong = errors.New("a message may have 64 MiB at most")

// EncodeFromEngine returns the line of a message of an engine, with its line end.
func EncodeFromEngine(m FromEngine) ([]byte, error) { return encode(m.fromEngine(), m) }

// EncodeFromHost returns the line of a message of a host, with its line end.
func EncodeFromHost(m FromHost) ([]byte, error) { return encode(m.fromHost(), m) }

func encode(kind string, m any) ([]byte, error) {
	line := bytes.NewBufferString(`{"type":"` + kind + `",`)
	head := line.Len()
	encoder := json.NewEncoder(line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	if line.Len()-1 > MaxLine {
		return nil, fmt.Errorf("encode %s of %d bytes: %w", kind, line.Len()-1, ErrTooLong)
	}
	all := line.Bytes()
	if all[head+1] == '}' { // without members
		return append(all[:head-1], "}\n"...), nil
	}
	return append(all[:head], all[head+1:]...), nil // without the second brace
}

// DecodeFromEngine decodes a line of an engine. A type that is newer than this package gives nil without an error: such
// a message is ignored.
func DecodeFromEngine(line []byte) (FromEngine, error) {
	m, _, err := DecodeMarked(line)
	return m, err
}

// DecodeMarked decodes a line of an engine whose Hello has Marks, as [DecodeFromEngine] does, and the number of its mark; 0 if it
// has none.
func DecodeMarked(line []byte) (m FromEngine, at uint64, err error) {
	head, err := headOf(line)
	if err != nil {
		return nil, 0, err
	}
	m, err = decodeFromEngine(*head.Type, line)
	return m, head.At, err
}

func decodeFromEngine(kind string, line []byte) (FromEngine, error) {
	switch kind {
	case "hello":
		return decode(line, &Hello{})
	case "progress":
		return decode(line, &Progress{})
	case "text":
		return decode(line, &Text{})
	case "display":
		return decode(line, &Display{})
	case "update":
		return decode(line, &Update{})
	case "result":
		return decode(line, &Result{})
	case "error":
		m, err := decode(line, &Failure{})
		if err == nil && m.Error == nil {
			err = errors.New(`an error message needs "error"`)
		}
		return m, err
	case "clear":
		return decode(line, &Clear{})
	case "ask":
		return decode(line, &Ask{})
	case "begin":
		return decode(line, &Begin{})
	case "done":
		return decode(line, &Done{})
	case "reply":
		return decode(line, &Reply{})
	}
	return nil, nil
}

// DecodeFromHost decodes a line of a host, as [DecodeFromEngine] does one of an engine.
func DecodeFromHost(line []byte) (FromHost, error) {
	head, err := headOf(line)
	if err != nil {
		return nil, err
	}
	switch *head.Type {
	case "run":
		return decode(line, &Run{})
	case "interrupt":
		return decode(line, &Interrupt{})
	case "answer":
		return decode(line, &Answer{})
	case "call":
		return decode(line, &Call{})
	}
	return nil, nil
}

// head is what all messages have.
type head struct {
	Type *string `json:"type"` // not nil
	At   uint64  `json:"at"`   // the number of the mark of a message of an engine
}

func headOf(line []byte) (h head, err error) {
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("not a message, which is a JSON object: %w: %s", err, shown(line))
	}
	if h.Type == nil {
		return h, fmt.Errorf(`a message needs a "type": %s`, shown(line))
	}
	return h, nil
}

func decode[M any](line []byte, m *M) (*M, error) {
	if err := json.Unmarshal(line, m); err != nil {
		return m, fmt.Errorf("malformed message: %w: %s", err, shown(line))
	}
	return m, nil
}

// shown returns the beginning of a line for an error.
func shown(line []byte) string {
	const most = 200
	if len(line) <= most {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q and %d bytes more", line[:most], len(line)-most)
}

// Lines reads messages as lines.
type Lines struct {
	r      *bufio.Reader
	number int
	most   int // MaxLine, but in tests
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, 64<<10), most: MaxLine} }

// Next returns the next line without its end, in memory of its own. It returns io.EOF behind the last line,
// io.ErrUnexpectedEOF for a line that has no end, and [ErrTooLong] for one that is longer than [MaxLine].
func (l *Lines) Next() ([]byte, error) {
	l.number++
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.most+1 {
			return nil, ErrTooLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// Number returns the number of the line that Next returned last, from 1.
func (l *Lines) Number() int { return l.number }
