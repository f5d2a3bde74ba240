//go:build race || js

package command_test

// seeds is the number of games of each property test. Here each takes many times longer; go test without -race plays
// more.
const seeds = 30
