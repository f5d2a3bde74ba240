// Package langtest has what tests of language engines, and of everything above
// them, need: Suite holds any engine to the contract of package lang, Scripted is
// an engine that does exactly what a test tells it to, and Recorder is a sink
// that remembers.
package langtest
