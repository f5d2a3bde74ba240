package sqlite

import "encoding/binary"

// input is read from the front. After a short read it is bad and returns zeros.
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

// skip advances by a decoded size, and returns 1, or 0 if decoding failed.
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

// block returns a byte string with a length prefix.
func (in *input) block() []byte { return in.take(in.uvarint()) }

// appendBytes appends a byte string for block.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
