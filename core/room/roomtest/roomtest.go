// Package roomtest helps to test what package replica describes: a suite that
// every log must pass, and a log in memory for tests of what lies above logs.
package roomtest
