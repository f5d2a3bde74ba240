package order

import "strings"

// alphabet holds the symbols of levels in ascending order. It leaves out the mark, which must sort below all of them,
// the space, and characters that JSON, HTML or SQL would escape. An odd count has a middle symbol, which is zero.
const alphabet = "#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	base   = len(alphabet)
	middle = base / 2

	// greatest and -greatest bound a level; they follow from the classes.
	greatest = 27 + 4*base + 11*base*base + base*base*base*base
)

// classes has the number of symbols of a level, and how many first symbols on each side of the middle announce that
// length. The first symbol alone determines the length, so no level is a prefix of another, and longer ones are farther
// from zero.
var classes = [...]struct{ symbols, firsts int }{{1, 27}, {2, 4}, {3, 11}, {5, 1}}

// encode writes a level so that the bytes of two levels compare as their numbers do.
func encode(level int) string {
	if level == 0 {
		return alphabet[middle : middle+1]
	}
	var buf [8]byte
	n := encodeAbove(&buf, max(level, -level)-1)
	if level < 0 {
		for i := range buf[:n] {
			buf[i] = byte(base-1) - buf[i]
		}
	}
	for i := range buf[:n] {
		buf[i] = alphabet[buf[i]]
	}
	return string(buf[:n])
}

// encodeAbove fills buf with the symbol numbers of the level that has rank levels between zero and itself. A level
// below zero is its mirror image.
func encodeAbove(buf *[8]byte, rank int) int {
	first := middle + 1
	for _, c := range classes {
		tails := power(c.symbols - 1)
		if rank < c.firsts*tails {
			for i := c.symbols - 1; i > 0; i-- {
				buf[i] = byte(rank % base)
				rank /= base
			}
			buf[0] = byte(first + rank)
			return c.symbols
		}
		rank -= c.firsts * tails
		first += c.firsts
	}
	panic("order: level out of range")
}

// decode reads the level at the start of s and returns its number of symbols, 0 if there is no level.
func decode(s string) (level, symbols int) {
	if s == "" {
		return 0, 0
	}
	lead := strings.IndexByte(alphabet, s[0])
	switch {
	case lead < 0:
		return 0, 0
	case lead == middle:
		return 0, 1
	case lead < middle:
		level, symbols = decodeAbove(s, base-1-lead, true)
		return -level, symbols
	default:
		return decodeAbove(s, lead, false)
	}
}

// decodeAbove reads a level whose first symbol is number lead, counted from the other end of the alphabet in a mirror
// image.
func decodeAbove(s string, lead int, mirror bool) (level, symbols int) {
	lead -= middle + 1
	before := 0
	for _, c := range classes {
		tails := power(c.symbols - 1)
		if lead >= c.firsts {
			lead -= c.firsts
			before += c.firsts * tails
			continue
		}
		tail, ok := decodeTail(s, c.symbols, mirror)
		if !ok {
			return 0, 0
		}
		return 1 + before + lead*tails + tail, c.symbols
	}
	return 0, 0
}

// decodeTail reads the symbols after the first as a number.
func decodeTail(s string, symbols int, mirror bool) (tail int, ok bool) {
	if len(s) < symbols {
		return 0, false
	}
	for i := 1; i < symbols; i++ {
		digit := strings.IndexByte(alphabet, s[i])
		if digit < 0 {
			return 0, false
		}
		if mirror {
			digit = base - 1 - digit
		}
		tail = tail*base + digit
	}
	return tail, true
}

// power is base to the n, for the few n that classes have.
func power(n int) int {
	p := 1
	for range n {
		p *= base
	}
	return p
}
