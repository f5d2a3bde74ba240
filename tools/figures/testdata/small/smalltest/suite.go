// Package smalltest is a suite, which is not measured.
package smalltest
