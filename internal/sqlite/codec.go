package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

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

// Consecutive records differ little, each in the same places: numbers increase by one, the actor
// stays, a letter changes. Columns store the values of one place of all records together, as
// differences from the record before, so a general compressor finds almost nothing to store.
//
// The encoding is a sequence of blocks with their lengths: the shapes in the order of their first
// use; the shape of each record; the counts of number and string places; and for each place its
// heads and its bytes. The head of a number is the difference from the previous one in its place,
// and it has no bytes. The head of a string is 0 if it equals the previous one, and else its length
// plus one.
type columns struct {
	shapes  []byte
	known   map[string]uint64
	uses    []byte
	numbers []column // by the number's place in the record
	strings []column
}

// column is the values of one place.
type column struct {
	number uint64 // the previous one
	text   []byte // the previous one
	heads  []byte // differences or lengths
	bytes  []byte // of strings
}

// maxPlaces bounds the numbers, and the strings, that have columns of their own. Later places in a
// record share them.
const maxPlaces = 64

// encodeColumns returns the columns of count records in lines.
func encodeColumns(lines []byte, count int) []byte {
	c := columns{known: map[string]uint64{}, uses: make([]byte, 0, count)}
	var t tokens
	for line := range splitLines(lines) {
		t.cut(line)
		c.add(&t)
	}
	return c.bytes(len(lines))
}

func (c *columns) add(t *tokens) {
	use, ok := c.known[string(t.shape)]
	if !ok {
		use = uint64(len(c.known))
		c.known[string(t.shape)] = use
		c.shapes = appendBytes(c.shapes, t.shape)
	}
	c.uses = binary.AppendUvarint(c.uses, use)
	for i, n := range t.numbers {
		at(&c.numbers, i).addNumber(n)
	}
	for i, s := range t.strings {
		at(&c.strings, i).addString(s)
	}
}

// at returns the column of a place, creating those up to it.
func at(list *[]column, i int) *column {
	i %= maxPlaces
	for len(*list) <= i {
		*list = append(*list, column{})
	}
	return &(*list)[i]
}

func (c *column) addNumber(n uint64) {
	c.heads = binary.AppendVarint(c.heads, int64(n-c.number)) // overflow wraps, and is reversed by decoding
	c.number = n
}

func (c *column) addString(s []byte) {
	if len(c.heads) > 0 && bytes.Equal(s, c.text) {
		c.heads = append(c.heads, 0)
		return
	}
	c.heads = binary.AppendUvarint(c.heads, uint64(len(s))+1)
	c.bytes = append(c.bytes, s...)
	c.text = s
}

func (c *columns) bytes(size int) []byte {
	dst := appendBytes(make([]byte, 0, size/4), c.shapes)
	dst = appendBytes(dst, c.uses)
	dst = binary.AppendUvarint(dst, uint64(len(c.numbers)))
	dst = binary.AppendUvarint(dst, uint64(len(c.strings)))
	for _, l := range [][]column{c.numbers, c.strings} {
		for i := range l {
			dst = appendBytes(dst, l[i].heads)
			dst = appendBytes(dst, l[i].bytes)
		}
	}
	return dst
}

// errShort says that columns end too early, or have invalid values.
var errShort = errors.New("columns do not fit together")

// shape is a shape with its numbers of values.
type shape struct {
	text             []byte
	numbers, strings int
}

// source is a column that is being decoded.
type source struct {
	heads, bytes byteReader
	number       uint64
	text         []byte
}

func (s *source) nextNumber() uint64 {
	s.number += uint64(s.heads.varint())
	return s.number
}

func (s *source) nextString() []byte {
	if n := s.heads.uvarint(); n > 0 {
		s.text = s.bytes.take(n - 1)
	}
	return s.text
}

// table is the columns of a segment during decoding.
type table struct {
	shapes           []shape
	uses             byteReader
	numbers, strings []source
}

// decodeColumns is the inverse of encodeColumns.
func decodeColumns(data []byte, count int) ([]byte, error) {
	t, err := readTable(data)
	if err != nil {
		return nil, err
	}
	var (
		row tokens
		dst = make([]byte, 0, 4*len(data))
	)
	for i := range count {
		if !t.next(&row) {
			return nil, fmt.Errorf("record %d: %w", i, errShort)
		}
		if len(dst)+row.size() > maxUnpacked {
			return nil, fmt.Errorf("record %d: more than %d bytes", i, maxUnpacked)
		}
		dst, _ = row.join(dst) // next fills all marks of the shape
		dst = append(dst, '\n')
	}
	return dst, nil
}

// size bounds the bytes of the record: a few damaged columns can repeat the same text many times.
func (t *tokens) size() int {
	const digits = 20 // of the largest number
	n := len(t.shape) + digits*len(t.numbers) + len("\n")
	for _, s := range t.strings {
		n += len(s)
	}
	return n
}

func readTable(data []byte) (*table, error) {
	in := byteReader{rest: data}
	shapes := byteReader{rest: in.block()}
	t := &table{uses: byteReader{rest: in.block()}}
	for len(shapes.rest) > 0 {
		s := shape{text: shapes.block()}
		s.numbers, s.strings = arity(s.text)
		t.shapes = append(t.shapes, s)
	}
	numbers, strings := in.uvarint(), in.uvarint()
	if in.bad || shapes.bad || numbers > maxPlaces || strings > maxPlaces {
		return nil, errShort
	}
	t.numbers, t.strings = in.sources(numbers), in.sources(strings)
	if in.bad {
		return nil, errShort
	}
	return t, nil
}

func (in *byteReader) sources(n uint64) []source {
	list := make([]source, n)
	for i := range list {
		list[i].heads.rest = in.block()
		list[i].bytes.rest = in.block()
	}
	return list
}

// next decodes one record into row, and reports whether there was one.
func (t *table) next(row *tokens) bool {
	use := t.uses.uvarint()
	if t.uses.bad || use >= uint64(len(t.shapes)) {
		return false
	}
	s := t.shapes[use]
	if min(s.numbers, maxPlaces) > len(t.numbers) || min(s.strings, maxPlaces) > len(t.strings) {
		return false
	}
	row.shape, row.numbers, row.strings = s.text, row.numbers[:0], row.strings[:0]
	return t.readNumbers(s.numbers, row) && t.readStrings(s.strings, row)
}

func (t *table) readNumbers(n int, row *tokens) bool {
	for i := range n {
		c := &t.numbers[i%maxPlaces]
		row.numbers = append(row.numbers, c.nextNumber())
		if c.heads.bad {
			return false
		}
	}
	return true
}

func (t *table) readStrings(n int, row *tokens) bool {
	for i := range n {
		c := &t.strings[i%maxPlaces]
		row.strings = append(row.strings, c.nextString())
		if c.heads.bad || c.bytes.bad {
			return false
		}
	}
	return true
}

// A record is split into its shape, its numbers and its strings. The shape is the record with a
// mark in place of each number and string; the records of one program have few shapes. The marks
// are bytes that JSON cannot contain; a record that contains them nevertheless is its own shape.
const (
	markNumber   = 1 // decimal digits, as strconv would write them
	markString   = 2 // the characters between two quotes
	markCounter  = 3 // digits at the end of a string, after a dot or a hyphen
	markVerbatim = 4 // begins the shape of a record that is not split
	marks        = "\x01\x02\x03\x04"
)

// tokens is one split record.
type tokens struct {
	shape   []byte
	numbers []uint64
	strings [][]byte // parts of the record
}

// cut splits a record. It reuses the memory of t.
func (t *tokens) cut(record []byte) {
	t.shape, t.numbers, t.strings = t.shape[:0], t.numbers[:0], t.strings[:0]
	if bytes.ContainsAny(record, marks) {
		t.shape = append(append(t.shape, markVerbatim), record...)
		return
	}
	for i := 0; i < len(record); {
		switch c := record[i]; {
		case isDigit(c):
			i = t.cutNumber(record, i)
		case c == '"':
			i = t.cutString(record, i)
		default:
			t.shape = append(t.shape, c)
			i++
		}
	}
}

// cutNumber cuts the digits at i, and returns their end. Digits in a non-canonical form stay in the
// shape.
func (t *tokens) cutNumber(record []byte, i int) int {
	end := i + 1
	for end < len(record) && isDigit(record[end]) {
		end++
	}
	if n, ok := parseDigits(record[i:end]); ok {
		t.numbers = append(t.numbers, n)
		t.shape = append(t.shape, markNumber)
	} else {
		t.shape = append(t.shape, record[i:end]...)
	}
	return end
}

// cutString cuts the string that begins with the quote at i, and returns its end. Keys and
// unterminated strings stay in the shape.
func (t *tokens) cutString(record []byte, i int) int {
	end := closingQuote(record, i+1)
	if end == len(record) || end+1 < len(record) && record[end+1] == ':' {
		end = min(end+1, len(record))
		t.shape = append(t.shape, record[i:end]...)
		return end
	}
	s := record[i+1 : end]
	t.shape = append(t.shape, '"', markString)
	if head, n, ok := splitCounter(s); ok {
		s = head
		t.shape = append(t.shape, markCounter)
		t.numbers = append(t.numbers, n)
	}
	t.strings = append(t.strings, s)
	t.shape = append(t.shape, '"')
	return end + 1
}

// closingQuote returns the end of the string with the character at i, or the end of the record.
func closingQuote(record []byte, i int) int {
	for i < len(record) && record[i] != '"' {
		if record[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(record))
}

// splitCounter splits off the number at the end of a string such as an event's id.
func splitCounter(s []byte) (head []byte, n uint64, ok bool) {
	i := len(s)
	for i > 0 && isDigit(s[i-1]) {
		i--
	}
	if i == 0 || i == len(s) || s[i-1] != '.' && s[i-1] != '-' {
		return nil, 0, false
	}
	n, ok = parseDigits(s[i:])
	return s[:i], n, ok
}

// parseDigits parses digits that strconv would write for the same number.
func parseDigits(digits []byte) (uint64, bool) {
	const safe = 19 // digits that always fit a uint64
	if len(digits) > safe || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range digits {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// join appends the original record to dst. It reports whether the shape has as many marks as there
// are numbers and strings.
func (t *tokens) join(dst []byte) ([]byte, bool) {
	if len(t.shape) > 0 && t.shape[0] == markVerbatim {
		return append(dst, t.shape[1:]...), true
	}
	numbers, strings := t.numbers, t.strings
	for _, c := range t.shape {
		switch c {
		case markString:
			if len(strings) == 0 {
				return dst, false
			}
			dst, strings = append(dst, strings[0]...), strings[1:]
		case markNumber, markCounter:
			if len(numbers) == 0 {
				return dst, false
			}
			dst, numbers = strconv.AppendUint(dst, numbers[0], 10), numbers[1:]
		default:
			dst = append(dst, c)
		}
	}
	return dst, len(numbers) == 0 && len(strings) == 0
}

// arity returns the numbers and strings in a shape.
func arity(shape []byte) (numbers, strings int) {
	if len(shape) > 0 && shape[0] == markVerbatim {
		return 0, 0
	}
	for _, c := range shape {
		switch c {
		case markNumber, markCounter:
			numbers++
		case markString:
			strings++
		}
	}
	return numbers, strings
}
