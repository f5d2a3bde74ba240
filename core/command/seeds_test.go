//go:build !race && !js

package command_test

// seeds is the number of games of each property test.
const seeds = 200
