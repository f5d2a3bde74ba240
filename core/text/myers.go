package text

import "slices"

// maxDistance bounds how many tokens may differ: the memory for the path grows with its square.
const maxDistance = 1024

// hunk is a part that differs: tokens a0 to a1 of one list have become b0 to b1 of the other.
type hunk struct {
	a0, a1, b0, b1 int
}

// shortest returns the fewest changes that turn a into b, in order, by Myers's algorithm. It subtracts its steps from
// work and gives up, with false, when none are left or the lists are too different.
func shortest(a, b []string, work *int) ([]hunk, bool) {
	if max(len(a)-len(b), len(b)-len(a)) > maxDistance {
		return nil, false
	}
	m := myers{work: work}
	m.a, m.b = numbers(a, b)
	for d := 0; d <= maxDistance && *work > 0; d++ {
		if m.row(d) {
			return m.hunks(d), true
		}
	}
	return nil, false
}

// numbers gives equal tokens equal numbers, because long tokens are compared many times.
func numbers(a, b []string) (as, bs []int32) {
	known := make(map[string]int32, len(a))
	number := func(tokens []string) []int32 {
		list := make([]int32, len(tokens))
		for i, t := range tokens {
			n, ok := known[t]
			if !ok {
				n = int32(len(known))
				known[t] = n
			}
			list[i] = n
		}
		return list
	}
	return number(a), number(b)
}

// myers searches the grid of a and b for the path between its corners with the fewest steps off a diagonal.
type myers struct {
	a, b []int32
	work *int
	// reach holds, row upon row, the furthest index in a that d steps reach on each of the diagonals -d, -d+2 … d. Row
	// d has d+1 numbers and begins at d(d+1)/2.
	reach []int32
}

// at returns the number i of row d.
func (m *myers) at(d, i int) int { return int(m.reach[d*(d+1)/2+i]) }

// row adds row d and reports whether it gets to the end.
func (m *myers) row(d int) bool {
	for i := range d + 1 {
		x, _ := m.enter(d, i)
		y := x - (2*i - d)
		start := x
		for x < len(m.a) && y < len(m.b) && m.a[x] == m.b[y] {
			x++
			y++
		}
		m.reach = append(m.reach, int32(x))
		*m.work -= 1 + x - start
		if x >= len(m.a) && y >= len(m.b) {
			return true
		}
	}
	return false
}

// enter returns where diagonal i of row d is entered, and the diagonal of the row before that it is entered from.
func (m *myers) enter(d, i int) (x, from int) {
	switch {
	case d == 0:
		return 0, 0
	case i == 0 || i < d && m.at(d-1, i-1) < m.at(d-1, i):
		return m.at(d-1, i), i // a token of b is inserted
	default:
		return m.at(d-1, i-1) + 1, i - 1 // a token of a is deleted
	}
}

// hunks walks back from the end, which row d has reached, and collects the steps.
func (m *myers) hunks(d int) []hunk {
	var list []hunk
	for i := (len(m.a) - len(m.b) + d) / 2; d > 0; d-- {
		x, from := m.enter(d, i)
		y := x - (2*i - d)
		h := hunk{a0: x, a1: x, b0: y - 1, b1: y}
		if from != i {
			h = hunk{a0: x - 1, a1: x, b0: y, b1: y}
		}
		if n := len(list); n > 0 && list[n-1].a0 == h.a1 && list[n-1].b0 == h.b1 {
			list[n-1].a0, list[n-1].b0 = h.a0, h.b0
		} else {
			list = append(list, h)
		}
		i = from
	}
	slices.Reverse(list)
	return list
}
