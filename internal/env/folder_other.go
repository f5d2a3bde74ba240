//go:build !unix

package env

// openNow is needed nowhere else.
const openNow = 0
