package ipynb

import "bytes"

// pythonNumbers are the numbers that Python writes into JSON and JSON does not have,
// with what becomes of them: nothing where there is no number, and for the endless
// ones a number that is too large for every reader.
var pythonNumbers = []struct{ from, to string }{
	{"-Infinity", "-1e999"},
	{"Infinity", "1e999"},
	{"NaN", "null"},
}

// plainNumbers returns data with the numbers of JSON in place of Python's. Those in
// strings are none, and line ends stay where they are.
func plainNumbers(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		n := 1
		if data[i] == '"' {
			n = stringLen(data[i:])
		}
		to := data[i : i+n]
		for _, number := range pythonNumbers {
			if n == 1 && bytes.HasPrefix(data[i:], []byte(number.from)) {
				n, to = len(number.from), []byte(number.to)
				break
			}
		}
		out = append(out, to...)
		i += n
	}
	return out
}

// stringLen returns the length of the string that data begins with, quotes included.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}
