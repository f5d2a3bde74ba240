//go:build race || js

package command_test

// seeds is how many games each property test plays. Here each takes many times
// longer; go test without -race plays more.
const seeds = 30
