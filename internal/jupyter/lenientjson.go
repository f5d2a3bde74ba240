package jupyter

import (
	"bytes"
	"encoding/json"
)

// notNumbers are the numbers outside JSON that some kernels write, in the order of the search, and
// what ipykernel sends instead.
var notNumbers = []struct{ written, meant string }{
	{"NaN", `"nan"`}, {"-Infinity", `"-inf"`}, {"Infinity", `"inf"`},
}

// unmarshal decodes JSON of a kernel, with NaN and Infinity allowed.
func unmarshal(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	mended := mend(data)
	if bytes.Equal(mended, data) {
		return err
	}
	return json.Unmarshal(mended, into)
}

// mend replaces the numbers that JSON lacks, outside of strings.
func mend(data []byte) []byte {
	mended := make([]byte, 0, len(data)+16)
	for at := 0; at < len(data); {
		if data[at] == '"' {
			end := endOfText(data, at)
			mended, at = append(mended, data[at:end]...), end
			continue
		}
		size := 1
		meant := data[at : at+1]
		for _, n := range notNumbers {
			if bytes.HasPrefix(data[at:], []byte(n.written)) {
				size, meant = len(n.written), []byte(n.meant)
				break
			}
		}
		mended, at = append(mended, meant...), at+size
	}
	return mended
}

// endOfText returns the end of the string that starts at an offset.
func endOfText(data []byte, start int) int {
	for at := start + 1; at < len(data); at++ {
		switch data[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(data)
}
