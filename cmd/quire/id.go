package main

import (
	"crypto/rand"
	"strings"
)

// Lengths of the ids that commands make.
const (
	cellIDLen   = 8
	clientIDLen = 12
	runIDLen    = 12
)

// newID returns a name of n random letters and digits, at most 26.
func newID(n int) string { return strings.ToLower(rand.Text()[:n]) }
