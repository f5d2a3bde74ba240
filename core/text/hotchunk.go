package text

import "slices"

// hot is the chunk of the latest edit that was within one chunk. Its buffer belongs to one text alone, so a keystroke
// moves some bytes and allocates nothing. Readers and clones copy from it: only an edit may turn it back into a string,
// for many may read at once.
type hot struct {
	text  []byte // empty if no chunk is hot
	chunk int    // its index; the text of that chunk is empty
}

// empty reports whether no chunk is hot.
func (h *hot) empty() bool { return len(h.text) == 0 }

// splice replaces the bytes from i to j with s.
func (h *hot) splice(i, j int, s string) {
	b, size := h.text, len(h.text)+len(s)-(j-i)
	if size > cap(b) {
		b = slices.Grow(b, size-len(b))
	}
	copy(b[i+len(s):size], b[j:])
	h.text = b[:size]
	copy(h.text[i:], s)
}

// heat makes chunk i the hot one.
func (t *Text) heat(i int) {
	c := &t.chunks[i]
	if c.text == "" {
		return
	}
	t.freeze()
	t.hot.text = append(t.hot.text, c.text...)
	t.hot.chunk, c.text = i, ""
}

// freeze turns the hot chunk, if there is one, into an ordinary chunk. The buffer is kept for the next.
func (t *Text) freeze() {
	if t.hot.empty() {
		return
	}
	t.chunks[t.hot.chunk].text = string(t.hot.text)
	t.hot.text = t.hot.text[:0]
}
