// Package langtest has the tools for tests of language engines and of the packages above them: Suite checks any engine
// against the contract of package lang, Scripted is an engine that follows the test's script, and Recorder is a sink
// that records.
package langtest
