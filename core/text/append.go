package text

import "fmt"

// Append replaces the last drop units with s, like an edit of the end but without making one. If there are fewer units,
// or if a surrogate pair would be cut, it is an error and changes nothing. Bytes of s that are not UTF-8 become U+FFFD.
func (t *Text) Append(drop int, s string) error {
	if drop < 0 || drop > t.units {
		return fmt.Errorf("append to text: drop %d units of a text of %d", drop, t.units)
	}
	if drop == 0 && s == "" {
		return nil
	}
	s = valid(s)
	if err := t.change(change{keep: t.units - drop, text: s, units: UTF16Len(s), drop: drop}); err != nil {
		return fmt.Errorf("append to text: %w", err)
	}
	return nil
}
