package main

import "os"

// bornAt knows nothing here: no runtime is taken for one of ours.
func bornAt(int) string { return "" }

func checkFamily(int) error { return nil }

func killFamily(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}
