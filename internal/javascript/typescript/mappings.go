package typescript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mappings say where the parts of a generated source come from. It is the part "mappings" of a source map, version 3.
type Mappings struct {
	lines [][]mapping // of the generated source
}

// mapping is one part: from a generated column on, in its line. All count from 0.
type mapping struct{ column, line, original int }

// readMappings reads a source map with one source.
func readMappings(sourceMap []byte) (*Mappings, error) {
	var m struct {
		Version  int    `json:"version"`
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(sourceMap, &m); err != nil {
		return nil, fmt.Errorf("read source map: %w", err)
	}
	if m.Version != 3 {
		return nil, fmt.Errorf("read source map: version %d, want 3", m.Version)
	}
	result := &Mappings{}
	line, original := 0, 0
	for generated := range strings.SplitSeq(m.Mappings, ";") {
		var parts []mapping
		column := 0
		for part := range strings.SplitSeq(generated, ",") {
			if part == "" {
				continue
			}
			numbers, err := decodeVLQ(part)
			if err != nil {
				return nil, fmt.Errorf("read source map: %w", err)
			}
			column += numbers[0]
			if len(numbers) < 4 { // generated from nothing
				continue
			}
			line, original = line+numbers[2], original+numbers[3]
			if column < 0 || line < 0 || original < 0 {
				return nil, errors.New("read source map: a negative place")
			}
			parts = append(parts, mapping{column, line, original})
		}
		result.lines = append(result.lines, parts)
	}
	return result, nil
}

// base64Digits are the digits of numbers in a source map, with six bits each.
const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeVLQ decodes the one, four or five numbers of a part: five bits a digit, the lowest first, and a bit that says
// whether more follow; the lowest bit of all is the sign.
func decodeVLQ(part string) ([]int, error) {
	var numbers []int
	value, shift := 0, 0
	for _, digit := range []byte(part) {
		bits := strings.IndexByte(base64Digits, digit)
		if bits < 0 || shift > 30 {
			return nil, fmt.Errorf("%q is no part of mappings", part)
		}
		value |= bits & 31 << shift
		if bits&32 != 0 {
			shift += 5
			continue
		}
		number := value >> 1
		if value&1 != 0 {
			number = -number
		}
		numbers = append(numbers, number)
		value, shift = 0, 0
	}
	if shift != 0 || len(numbers) != 1 && len(numbers) != 4 && len(numbers) != 5 {
		return nil, fmt.Errorf("%q is no part of mappings", part)
	}
	return numbers, nil
}

// Place returns the place in the user's source of one in the generated source, both from 1. The line alone is exact
// where no part begins at the column.
func (m *Mappings) Place(line, column int) (int, int) {
	if line < 1 || line > len(m.lines) {
		return 0, 0
	}
	parts := m.lines[line-1]
	if len(parts) == 0 {
		return 0, 0
	}
	at, exact := slices.BinarySearchFunc(parts, max(column-1, 0), func(p mapping, column int) int { return cmp.Compare(p.column, column) })
	if !exact {
		at = max(at-1, 0)
	}
	return parts[at].line + 1, parts[at].original + 1
}
