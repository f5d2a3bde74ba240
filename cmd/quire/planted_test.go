package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPlant fills folders with all that an interpreter or a tool would read by itself
// in the folder where it starts: "plant MARKS DIR...". A planted file leaves a mark in
// the folder MARKS, which no sandbox shows, and then fails.
func scriptPlant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: plant MARKS DIR...")
	}
	marks := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(marks, 0o755))
	out, err := exec.Command("/usr/bin/python3", "-I", "-c", "import sys; print(*getattr(sys, 'stdlib_module_names', ['json', 'os', 'site']))").Output()
	ts.Check(err)
	modules := append(strings.Fields(string(out)), "IPython", "numpy", "pandas", "matplotlib", "ipykernel", "ipykernel_launcher", "zmq", "sitecustomize", "usercustomize")
	for _, dir := range args[1:] {
		plant(ts, ts.MkAbs(dir), marks, modules)
	}
}

func plant(ts *testscript.TestScript, dir, marks string, modules []string) {
	mark := func(name string) string { return filepath.Join(marks, name) }
	shell := func(name string) string { return "echo \"$0 $PPID\" >>'" + mark(name) + "' 2>/dev/null\n" }
	files := map[string]string{
		".Rprofile":             "try(cat('x', file='" + mark("Rprofile") + "'))\n",
		".Renviron":             "R_PROFILE_USER=" + filepath.Join(dir, ".Rprofile") + "\n",
		"planted.pth":           "import os; open('" + mark("pth") + "', 'w')\n",
		"node_modules/x.js":     "require('fs').writeFileSync('" + mark("node") + "', '')\n",
		".bashrc":               shell("bashrc"),
		".profile":              shell("profile"),
		"bash_env":              shell("bash_env"),
		".git/config":           "[core]\n\tfsmonitor = " + filepath.Join(dir, "python3") + "\n\thooksPath = .\n",
		".git/HEAD":             "ref: refs/heads/main\n",
		"python3":               "#!/bin/sh\n" + shell("python3"),
		"python":                "#!/bin/sh\n" + shell("python"),
		"bwrap":                 "#!/bin/sh\n" + shell("bwrap"),
		"true":                  "#!/bin/sh\n" + shell("true"),
		".python-version":       "../../../planted\n",
		"kernels/x/kernel.json": `{"argv": ["` + filepath.Join(dir, "python3") + `", "{connection_file}"], "display_name": "x", "language": "python"}`,
	}
	for _, module := range modules {
		files[module+".py"] = "import posix\ntry: posix.close(posix.open('" + mark(module) + "', posix.O_CREAT | posix.O_WRONLY))\n" +
			"except OSError: pass\nraise ImportError('planted')\n"
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, []byte(text), 0o755))
	}
}
