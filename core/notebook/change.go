package notebook

import "fmt"

// Table names a kind of row.
type Table string

// The tables. The notebook itself is one row without an id: its title, its
// metadata and the order of its cells.
const (
	TableNotebook  Table = "notebook"
	TableCells     Table = "cells"
	TableRuns      Table = "runs"
	TableOutputs   Table = "outputs"
	TableRuntimes  Table = "runtimes"
	TableInputs    Table = "inputs"
	TableApprovals Table = "approvals"
	TableFiles     Table = "files"
	TableComms     Table = "comms"
)

// Change names a row that an event created, changed or removed.
type Change struct {
	Table Table
	ID    string
}

func changed[ID ~string](dst []Change, t Table, id ID) []Change {
	return append(dst, Change{Table: t, ID: string(id)})
}

// Moot is the reason for which an event changes nothing.
type Moot struct {
	Kind   MootKind
	Reason string // one sentence for people
}

// MootKind is the kind of reason for which an event changes nothing.
type MootKind string

// The kinds of reasons.
const (
	MootInvalid  MootKind = "invalid"   // it does not fit its subject
	MootNotFound MootKind = "not-found" // its subject does not exist
	MootConflict MootKind = "conflict"  // it came too late, or twice
)

// Error returns the reason.
func (m *Moot) Error() string { return m.Reason }

func invalid(format string, args ...any) error {
	return &Moot{Kind: MootInvalid, Reason: fmt.Sprintf(format, args...)}
}

func notFound(what string, id any) error {
	return &Moot{Kind: MootNotFound, Reason: fmt.Sprintf("there is no %s %v", what, id)}
}

func conflict(format string, args ...any) error {
	return &Moot{Kind: MootConflict, Reason: fmt.Sprintf(format, args...)}
}
