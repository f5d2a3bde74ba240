//go:build !unix

package env

// openNow is needed on Unix only.
const openNow = 0
