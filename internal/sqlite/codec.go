package sqlite

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/core/event"
)

// codec compresses and decompresses. Its methods may be called from any goroutine.
type codec struct {
	fast    *zstd.Encoder // for snapshots, where latency matters
	best    *zstd.Encoder // for old records, in the background
	decoder *zstd.Decoder
}

// errDamaged says that stored bytes are corrupt.
var errDamaged = errors.New("stored data is damaged")

// maxUnpacked bounds the memory that damaged data can claim.
const maxUnpacked = 1 << 30

func newCodec() (*codec, error) {
	fast, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	best, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("make decoder: %w", err)
	}
	return &codec{fast: fast, best: best, decoder: decoder}, nil
}

func (c *codec) close() { c.decoder.Close() }

// longRecord is the mean size from which records gain nothing by columns: they are mostly one long
// string.
const longRecord = 4 << 10

// pack returns count records in lines in a compact form. It verifies that the result unpacks to the
// same lines, because it replaces the history.
func (c *codec) pack(lines []byte, count int) (form, []byte, error) {
	if len(lines) < count*longRecord {
		columns := c.best.EncodeAll(encodeColumns(lines, count), nil)
		if c.check(formColumns, columns, lines, count) == nil {
			return formColumns, columns, nil
		}
	}
	packed := c.best.EncodeAll(lines, nil)
	return formZstd, packed, c.check(formZstd, packed, lines, count)
}

// check returns an error if data does not give the lines.
func (c *codec) check(f form, data, lines []byte, count int) error {
	got, err := c.unpack(segment{first: 1, last: event.Seq(count), form: f, data: data})
	if err == nil && !bytes.Equal(got, lines) {
		err = errors.New("packed records do not come back the same")
	}
	return err
}

// unpack returns the records of a segment as lines.
func (c *codec) unpack(s segment) ([]byte, error) {
	lines, err := c.unpackForm(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if n := bytes.Count(lines, []byte{'\n'}); n != s.count() {
		return nil, fmt.Errorf("%w: %d records, want %d", errDamaged, n, s.count())
	}
	return lines, nil
}

func (c *codec) unpackForm(s segment) ([]byte, error) {
	if s.form == formLines {
		return s.data, nil
	}
	data, err := c.decoder.DecodeAll(s.data, nil)
	if err != nil || s.form == formZstd {
		return data, err
	}
	if s.form == formColumns {
		return decodeColumns(data, s.count())
	}
	return nil, fmt.Errorf("unknown form %d", s.form)
}
