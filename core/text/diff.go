package text

import (
	"strings"
	"unicode/utf8"
)

// diffWork bounds the steps of the searches of one Diff, to some milliseconds in all; wordsLimit is the most bytes that
// are compared by words.
const (
	diffWork   = 1 << 20
	wordsLimit = 1 << 16
)

// Diff returns an edit that turns a into b: by lines, then by words in the lines that differ, then without the common
// ends of the words. It is small where that is cheap to find, and time is bounded by the length of the texts; a part
// that is too different is replaced as a whole. Bytes that are not UTF-8 count as U+FFFD.
func Diff(a, b string) Edit {
	a, b = valid(a), valid(b)
	d := differ{work: diffWork}
	head, tail := commonLines(a, b)
	d.retain(a[:head])
	d.lines(a[head:len(a)-tail], b[head:len(b)-tail])
	return d.out.edit()
}

// differ builds an edit from left to right, by comparison while it has work left.
type differ struct {
	out  builder
	work int
}

// lines turns a into b line by line.
func (d *differ) lines(a, b string) {
	if a == "" || b == "" {
		d.replace(a, b)
		return
	}
	as, bs := lineTokens(a), lineTokens(b)
	hunks, ok := shortest(as, bs, &d.work)
	if !ok {
		d.words(a, b)
		return
	}
	d.hunks(a, b, as, bs, hunks, d.words)
}

// words turns a into b word by word. If most words differ, the few equal ones are chance, and all is replaced.
func (d *differ) words(a, b string) {
	if a == "" || b == "" || len(a)+len(b) > wordsLimit {
		d.replace(a, b)
		return
	}
	as, bs := wordTokens(a), wordTokens(b)
	hunks, ok := shortest(as, bs, &d.work)
	if changed := 0; ok {
		for _, h := range hunks {
			changed += h.a1 - h.a0 + h.b1 - h.b0
		}
		ok = 2*changed <= len(as)+len(bs)
	}
	if !ok {
		d.replace(a, b)
		return
	}
	d.hunks(a, b, as, bs, hunks, d.replace)
}

// hunks keeps the tokens between the hunks of two lists of tokens, and calls turn with each hunk.
func (d *differ) hunks(a, b string, as, bs []string, hunks []hunk, turn func(a, b string)) {
	last := 0
	for _, h := range hunks {
		keep := size(as[last:h.a0])
		d.retain(a[:keep])
		gone, come := size(as[h.a0:h.a1]), size(bs[h.b0:h.b1])
		a, b = a[keep:], b[keep:]
		turn(a[:gone], b[:come])
		a, b, last = a[gone:], b[come:], h.a1
	}
	d.retain(a)
}

// retain keeps s.
func (d *differ) retain(s string) {
	d.out.retain(UTF16Len(s))
}

// replace replaces a with b, without their common ends.
func (d *differ) replace(a, b string) {
	head := commonPrefix(a, b)
	for head > 0 && (splitsRune(a, head) || splitsRune(b, head)) {
		head--
	}
	tail := commonSuffix(a[head:], b[head:])
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	d.retain(a[:head])
	a, b = a[head:], b[head:]
	d.out.delete(UTF16Len(a[:len(a)-tail]))
	b = b[:len(b)-tail]
	d.out.insert(b, UTF16Len(b))
	d.retain(a[len(a)-tail:])
}

// commonLines returns the lengths of the whole lines that a and b have in common at their start and at their end.
func commonLines(a, b string) (head, tail int) {
	head = commonPrefix(a, b)
	if head < len(a) || head < len(b) {
		head = strings.LastIndexByte(a[:head], '\n') + 1
	}
	a, b = a[head:], b[head:]
	tail = commonSuffix(a, b)
	if startsLine(a, tail) && startsLine(b, tail) {
		return head, tail
	}
	end := a[len(a)-tail:]
	if i := strings.IndexByte(end, '\n'); i >= 0 {
		return head, tail - i - 1
	}
	return head, 0
}

// startsLine reports whether the last tail bytes of s begin a line; s itself does.
func startsLine(s string, tail int) bool {
	i := len(s) - tail
	return i == 0 || s[i-1] == '\n'
}

// splitsRune reports whether a cut of s at i would be within a rune.
func splitsRune(s string, i int) bool {
	return i < len(s) && !utf8.RuneStart(s[i])
}

// block is the number of bytes that commonPrefix and commonSuffix compare at a time.
const block = 256

// commonPrefix returns how many bytes a and b have in common at their start.
func commonPrefix(a, b string) int {
	i, n := 0, min(len(a), len(b))
	for i+block <= n && a[i:i+block] == b[i:i+block] {
		i += block
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix returns how many bytes a and b have in common at their end.
func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for i >= block && a[i-block:i] == b[i-block:i] {
		i -= block
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}
