// Package roomtest has a suite that every log must pass, a log in memory, and a simulated
// network of a room and its clients.
package roomtest
