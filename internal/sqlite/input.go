package sqlite

import "encoding/binary"

// input is bytes that are read from the front. Once they do not suffice it is bad
// and gives zeros.
type input struct {
	rest []byte
	bad  bool
}

func (in *input) uvarint() uint64 {
	n, size := binary.Uvarint(in.rest)
	return n * in.skip(size)
}

func (in *input) varint() int64 {
	n, size := binary.Varint(in.rest)
	return n * int64(in.skip(size))
}

// skip goes on by what was read, and returns 1, or 0 if it could not be read.
func (in *input) skip(size int) uint64 {
	if size <= 0 {
		in.bad, in.rest = true, nil
		return 0
	}
	in.rest = in.rest[size:]
	return 1
}

// take returns the next n bytes.
func (in *input) take(n uint64) []byte {
	if n > uint64(len(in.rest)) {
		in.bad, in.rest = true, nil
		return nil
	}
	b := in.rest[:n]
	in.rest = in.rest[n:]
	return b
}

// block returns the next bytes with their length before them.
func (in *input) block() []byte { return in.take(in.uvarint()) }

// appendBytes appends what block reads.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
