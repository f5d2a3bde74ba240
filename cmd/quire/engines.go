package main

import (
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/proc"
	"github.com/quirehq/quire/internal/python"
)

// engines is the table of languages that runtimes of this build execute: with the
// kernels that were chosen, else with what is built in, else with any kernel that is
// installed. Programs start in dir, the current directory if that is empty, and keep
// to limits.
func (a *app) engines(dir string, l limits, c choice) *lang.Set {
	return lang.NewSet(a.engineTable(dir, l, c))
}

func (a *app) engineTable(dir string, l limits, c choice) []lang.Spec {
	var specs []lang.Spec
	if c.missing != nil {
		specs = append(specs, lang.Spec{Language: c.language, New: func() (lang.Engine, error) { return nil, c.missing }})
	}
	for _, k := range c.first {
		spec := a.kernelEngine(k, dir, l)
		spec.Language = c.executes(k)
		specs = append(specs, spec)
	}
	specs = append(specs, a.pythonEngine(dir, l))
	for _, k := range c.installed {
		if k.Fault == nil {
			specs = append(specs, a.kernelEngine(k, dir, l))
		}
	}
	return specs
}

func (a *app) pythonEngine(dir string, l limits) lang.Spec {
	return lang.Spec{Language: pythonLanguage, New: func() (lang.Engine, error) {
		engine, err := python.New(python.Config{
			Python: a.config.Python, Dir: dir, Env: a.engineEnv.environ(withoutOurs(a.environ)),
			Limits: a.engineEnv.bounds(l.ofProcess()), Start: a.engineEnv.starter(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedPython{engine, limited{l, a.engineEnv}}, nil
	}}
}

func (a *app) kernelEngine(k jupyter.Kernel, dir string, l limits) lang.Spec {
	return lang.Spec{Language: k.Language, New: func() (lang.Engine, error) {
		engine, err := jupyter.New(jupyter.Config{
			Kernel: k, Dir: dir, Env: a.engineEnv.environ(withoutOurs(a.environ)),
			Limits: a.engineEnv.bounds(l.ofProcess()), Start: a.engineEnv.starter(), Offline: a.engineEnv.isOffline(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedKernel{engine, limited{l, a.engineEnv}}, nil
	}}
}

// ofProcess returns what the system holds a process to.
func (l limits) ofProcess() proc.Limits {
	return proc.Limits{Memory: l.Memory, CPU: l.CPU, Files: l.Files, Processes: l.Processes, FileSize: l.FileSize}
}

// absolutePython returns an interpreter that is meant from the current directory as
// it can be found from any.
func absolutePython(name string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	return filepath.Abs(name)
}
