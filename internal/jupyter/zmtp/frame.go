package zmtp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The bits of a frame's first byte.
const (
	flagMore    = 1 // another frame of the message follows
	flagLong    = 2 // the size has eight bytes
	flagCommand = 4
)

const (
	// maxParts bounds the frames of a message.
	maxParts = 4096
	// maxCommand bounds the bytes of a command.
	maxCommand = 64 << 10
	// chunk bounds the memory that is allocated before the bytes arrive.
	chunk = 1 << 20
)

// TooLargeError says that a message was dropped because of its size.
type TooLargeError struct {
	Size, Limit int64 // bytes
}

// Error says how large the message was.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes is larger than the limit of %d", e.Size, e.Limit)
}

// reader reads frames and assembles messages.
type reader struct {
	from  *bufio.Reader
	limit int64 // bytes of a message
}

// header is the header of a frame.
type header struct {
	flags byte
	size  uint64
}

func (r *reader) header() (h header, err error) {
	if h.flags, err = r.from.ReadByte(); err != nil {
		return h, err
	}
	if h.flags&^(flagMore|flagLong|flagCommand) != 0 {
		return h, fmt.Errorf("a frame has the unknown flags %#x", h.flags)
	}
	if h.flags&flagCommand != 0 && h.flags&flagMore != 0 {
		return h, errors.New("a command has more frames")
	}
	var size [8]byte
	if h.flags&flagLong == 0 {
		size[7], err = r.from.ReadByte()
	} else {
		_, err = io.ReadFull(r.from, size[:])
	}
	if h.size = binary.BigEndian.Uint64(size[:]); err == nil && h.size > 1<<63-1 {
		err = fmt.Errorf("a frame of %d bytes cannot be", h.size)
	}
	return h, ended(err)
}

// ended turns an EOF within a frame into io.ErrUnexpectedEOF.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// message reads the next message. Commands before it and between its frames go to obey.
func (r *reader) message(obey func(name string, body []byte) error) ([][]byte, error) {
	var parts [][]byte
	var size int64
	for count := 0; ; {
		h, err := r.header()
		if err != nil {
			return nil, err
		}
		if h.flags&flagCommand != 0 {
			if err := r.command(h, obey); err != nil {
				return nil, err
			}
			continue
		}
		if count++; count > maxParts {
			return nil, fmt.Errorf("a message has more than %d frames", maxParts)
		}
		size = add(size, int64(h.size))
		if size > r.limit {
			parts = nil // the remaining frames are skipped
			err = r.discard(int64(h.size))
		} else {
			var part []byte
			part, err = r.bytes(int64(h.size))
			parts = append(parts, part)
		}
		if err != nil {
			return nil, err
		}
		if h.flags&flagMore == 0 {
			break
		}
	}
	if size > r.limit {
		return nil, &TooLargeError{size, r.limit}
	}
	return parts, nil
}

// add adds sizes; it saturates at the largest number.
func add(a, b int64) int64 {
	if a > 1<<63-1-b {
		return 1<<63 - 1
	}
	return a + b
}

func (r *reader) discard(n int64) error {
	_, err := io.CopyN(io.Discard, r.from, n)
	return ended(err)
}

// bytes reads the bytes of a frame. The memory of a large one grows as its bytes arrive.
func (r *reader) bytes(n int64) ([]byte, error) {
	part := make([]byte, min(n, chunk))
	_, err := io.ReadFull(r.from, part)
	for err == nil && int64(len(part)) < n {
		have := len(part)
		more := min(n-int64(have), int64(have))
		part = append(part, make([]byte, more)...)
		_, err = io.ReadFull(r.from, part[have:])
	}
	return part, ended(err)
}

func (r *reader) command(h header, obey func(string, []byte) error) error {
	if h.size > maxCommand {
		return fmt.Errorf("a command has %d bytes, at most %d are allowed", h.size, maxCommand)
	}
	body, err := r.bytes(int64(h.size))
	if err != nil {
		return err
	}
	name, rest, err := cutShort(body)
	if err != nil {
		return fmt.Errorf("a command without a name: %w", err)
	}
	return obey(name, rest)
}

// cutShort returns the text that follows its length byte, and the rest.
func cutShort(body []byte) (text string, rest []byte, err error) {
	if len(body) == 0 || len(body) < 1+int(body[0]) {
		return "", nil, io.ErrUnexpectedEOF
	}
	n := int(body[0])
	return string(body[1 : 1+n]), body[1+n:], nil
}

// appendFrame appends a frame to the output.
func appendFrame(out []byte, flags byte, body []byte) []byte {
	if len(body) > 255 {
		out = binary.BigEndian.AppendUint64(append(out, flags|flagLong), uint64(len(body)))
	} else {
		out = append(out, flags, byte(len(body)))
	}
	return append(out, body...)
}

// appendCommand appends a command to the output.
func appendCommand(out []byte, name string, body []byte) []byte {
	named := append([]byte{byte(len(name))}, name...)
	return appendFrame(out, flagCommand, append(named, body...))
}
