package event

import (
	"bytes"
	"fmt"
)

// CheckDepth reports whether the JSON form of an event, or of a draft, nests deeper than [MaxDepth]. Messages,
// snapshots and files wrap the contents of an event some levels deeper, and encoding/json stops at 10,000. It checks
// the whole event, so no type or member can be forgotten.
func CheckDepth(data []byte) error {
	if tooDeep(data) {
		return fmt.Errorf("it nests deeper than %d levels", MaxDepth)
	}
	return nil
}

// tooDeep reports whether valid JSON nests deeper than MaxDepth. Nearly all events are too short for that.
func tooDeep(data []byte) bool {
	if len(data) <= 2*MaxDepth {
		return false
	}
	level := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringEnd(data[i+1:]) + 1
		case '[', '{':
			if level++; level > MaxDepth {
				return true
			}
		case ']', '}':
			level--
		}
	}
	return false
}

// stringEnd returns the index of the quote that ends a string, or the length of the data if there is none.
func stringEnd(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '"')
		if i < 0 {
			return len(data)
		}
		at += i
		escapes := 0
		for escapes < at && data[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
		at++
	}
}
