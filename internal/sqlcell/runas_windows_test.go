package sqlcell_test

import "os/exec"

func runAs(*exec.Cmd, int, int) {}
