//go:build !faults

package main

// timingOf returns the timing of a program that people use.
func timingOf([]string) timing { return timing{} }
