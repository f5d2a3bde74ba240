//go:build race || wasm

package replica_test

// manySeeds is how many seeds of the network are run unless asked otherwise. Here
// each takes ten times as long.
const manySeeds = 300
