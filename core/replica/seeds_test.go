//go:build !race && !wasm

package replica_test

// manySeeds is how many seeds of the network are run unless asked otherwise.
const manySeeds = 2_000
