//go:build !linux

package env

import "os"

// add records nothing: reused PIDs cannot be detected here.
func (p *PIDFiles) add(string, int) (string, error) { return "", nil }

func (p *PIDFiles) remove(string) {}

// Sweep removes the folder of PID files, which is empty.
func Sweep(dir, _ string) (killed int, err error) { return 0, os.RemoveAll(dir) }
