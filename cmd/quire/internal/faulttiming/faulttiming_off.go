//go:build !faults

package faulttiming

// Of returns the timing of a program that users run.
func Of([]string) Timing { return Timing{} }
