// Package roomtest has a suite that every log must pass, a log in memory, a sequencer whose members a test moves, and a
// simulated network of a room and its clients.
package roomtest
