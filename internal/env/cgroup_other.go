//go:build !linux

package env

import "os/exec"

// Group cannot exist here. A nil one is none.
type Group struct{}

// NewGroup returns ErrNoGroups.
func NewGroup(Bounds) (*Group, error) { return nil, ErrNoGroups }

// Hits returns none.
func (*Group) Hits() (Hits, error) { return Hits{}, nil }

// Close does nothing.
func (*Group) Close() error { return nil }

// SweepGroups does nothing.
func SweepGroups() error { return nil }

func (*Group) start(cmd *exec.Cmd) error { return cmd.Start() }
