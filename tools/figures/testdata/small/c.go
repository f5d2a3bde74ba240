package small

// Back is used by a file that this one uses.
const Back = 1

func (l list) total() int { return elsewhere() }

func inC[T any](v T) T { return v }

var _ = inC(twice)
