package screen

import "unicode/utf8"

// edit is an [Edit] into which later ones are composed.
type edit struct {
	drop int
	text []byte
}

// dropUnits drops units from the end, first of the edit's own text.
func (e *edit) dropUnits(n int) {
	for n > 0 && len(e.text) > 0 {
		char, size := utf8.DecodeLastRune(e.text)
		e.text = e.text[:len(e.text)-size]
		n -= unitsOf(char)
	}
	e.drop += n
}

// units returns the length of b in UTF-16 units.
func units(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xC0 != 0x80 {
			n++
		}
		if c >= 0xF0 {
			n++
		}
	}
	return n
}

func unitsOf(char rune) int {
	if char > 0xFFFF {
		return 2
	}
	return 1
}
