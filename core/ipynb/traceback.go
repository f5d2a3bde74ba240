package ipynb

import (
	"encoding/json"
	"strconv"
	"strings"
)

// cutTrace returns the lines of a trace, and the number of lines of each part, nil if each has one.
func cutTrace(parts []string) (trace []string, sizes []any) {
	cut := false
	for _, part := range parts {
		part := strings.Split(part, "\n")
		trace = append(trace, part...)
		sizes = append(sizes, len(part))
		cut = cut || len(part) > 1
	}
	if !cut {
		return trace, nil
	}
	return trace, sizes
}

// joinTrace is the inverse of cutTrace. Sizes that do not fit the trace leave one line a part.
func joinTrace(trace []string, sizes []any) []any {
	if sizes == nil || !sized(len(trace), sizes) {
		parts := make([]any, len(trace))
		for i, line := range trace {
			parts[i] = line
		}
		return parts
	}
	parts := make([]any, len(sizes))
	for i, size := range sizes {
		n := sizeOf(size)
		parts[i] = strings.Join(trace[:n], "\n")
		trace = trace[n:]
	}
	return parts
}

// sized reports whether the sizes are positive and add up to n.
func sized(n int, sizes []any) bool {
	for _, size := range sizes {
		k := sizeOf(size)
		if k < 1 || k > n {
			return false
		}
		n -= k
	}
	return n == 0
}

func sizeOf(v any) int {
	number, _ := v.(json.Number)
	n, _ := strconv.Atoi(number.String())
	return n
}
