package proc

import "os"

// Born knows nothing here: no runtime is taken for one of ours.
func Born(int) string { return "" }

// CheckFamily takes any process.
func CheckFamily(int) error { return nil }

// KillFamily kills a process.
func KillFamily(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}
