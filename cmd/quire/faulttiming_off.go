//go:build !faults

package main

// timingOf returns the timing of a program that users run.
func timingOf([]string) timing { return timing{} }
