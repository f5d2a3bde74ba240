package small

// list has a method in c.go, which is no use of this file.
type list []int

func elsewhere() int { return Back }

func twice() int { return platform() }

func platform() int { return constrained() }

func unused() int { return unused() }
