//go:build !linux

package small

func constrained() int { return 1 }
