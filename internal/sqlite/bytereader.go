package sqlite

import "encoding/binary"

// byteReader reads numbers and byte strings from the front. After a short read it is bad and returns zeros.
type byteReader struct {
	rest []byte
	bad  bool
}

func (r *byteReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	return n * r.skip(size)
}

func (r *byteReader) varint() int64 {
	n, size := binary.Varint(r.rest)
	return n * int64(r.skip(size))
}

// skip advances by a decoded size, and returns 1, or 0 if decoding failed.
func (r *byteReader) skip(size int) uint64 {
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return 1
}

// take returns the next n bytes.
func (r *byteReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// block returns a byte string with a length prefix.
func (r *byteReader) block() []byte { return r.take(r.uvarint()) }

// appendBytes appends a byte string for block.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
