//go:build !faults

package main

// tempoOf returns the tempo of a program that people use.
func tempoOf([]string) tempo { return tempo{} }
