package engines

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestAKernelThatDidNotAnswerIsAskedAgain(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "kernels", "mine")
	if err := os.MkdirAll(spec, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "python")
	script := "#!/bin/sh\necho '{\"Executable\": \"/opt/python\", \"Folders\": [\"/opt\"]}'\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	file := `{"argv": ["` + program + `", "-m", "mine", "-f", "{connection_file}"], "display_name": "Mine", "language": "python"}`
	if err := os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &Factory{Config: &settings.Config{}, Environ: []string{"JUPYTER_PATH=" + dir, "HOME=" + t.TempDir(), "PATH=/bin"}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, all := h.kernelFolders(ended); all {
		t.Error("got that all kernels were asked in a context that has ended")
	}
	if folders, all := h.kernelFolders(t.Context()); !all {
		t.Errorf("got folders %q and that a kernel did not answer", folders)
	}
}
