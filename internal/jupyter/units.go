package jupyter

import "unicode/utf16"

// units converts a number of characters from the start of a text into UTF-16 units.
func units(text string, characters int) int {
	n := 0
	for _, c := range text {
		if characters--; characters < 0 {
			break
		}
		n += utf16.RuneLen(c)
	}
	return n
}

// characters converts a number of UTF-16 units from the start of a text into characters. An offset
// beyond the text is its end; one within a character is its start.
func characters(text string, units int) int {
	n := 0
	for _, c := range text {
		if units -= utf16.RuneLen(c); units < 0 {
			break
		}
		n++
	}
	return n
}
