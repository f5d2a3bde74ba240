//go:build !race && !js

package command_test

// seeds is how many games each property test plays.
const seeds = 200
