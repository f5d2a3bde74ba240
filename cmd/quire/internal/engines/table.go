package engines

import (
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/proc"
	"github.com/quirehq/quire/internal/python"
)

// Engines returns the engines of all languages: the kernels that were chosen, else the built-in
// Python, else any kernel that is installed. Programs start in dir, or in the current directory
// if that is empty, and are bounded.
func (h *Host) Engines(dir string, b settings.Bounds, c Choice) *lang.Set {
	return lang.NewSet(h.table(dir, limits(b), c))
}

func (h *Host) table(dir string, l limits, c Choice) []lang.Spec {
	var specs []lang.Spec
	if c.missing != nil {
		specs = append(specs, lang.Spec{Language: c.Language, New: func() (lang.Engine, error) { return nil, c.missing }})
	}
	for _, k := range c.first {
		spec := h.kernelEngine(k, dir, l)
		spec.Language = c.executes(k)
		specs = append(specs, spec)
	}
	specs = append(specs, h.pythonEngine(dir, l))
	for _, k := range c.installed {
		if k.Fault == nil {
			specs = append(specs, h.kernelEngine(k, dir, l))
		}
	}
	return specs
}

func (h *Host) pythonEngine(dir string, l limits) lang.Spec {
	return lang.Spec{Language: PythonLanguage, New: func() (lang.Engine, error) {
		engine, err := python.New(python.Config{
			Python: h.Config.Python, Dir: dir, Env: h.env.environ(h.Environ),
			Limits: h.env.bounds(l.ofProcess()), Start: h.env.starter(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedPython{engine, limited{l, h.env}}, nil
	}}
}

func (h *Host) kernelEngine(k jupyter.Kernel, dir string, l limits) lang.Spec {
	return lang.Spec{Language: k.Language, New: func() (lang.Engine, error) {
		engine, err := jupyter.New(jupyter.Config{
			Kernel: k, Dir: dir, Env: h.env.environ(h.Environ),
			Limits: h.env.bounds(l.ofProcess()), Start: h.env.starter(), Offline: h.env.isOffline(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedKernel{engine, limited{l, h.env}}, nil
	}}
}

// ofProcess returns the limits that the system enforces for one process.
func (l limits) ofProcess() proc.Limits {
	return proc.Limits{Memory: l.Memory, CPU: l.CPU, Files: l.Files, Processes: l.Processes, FileSize: l.FileSize}
}
