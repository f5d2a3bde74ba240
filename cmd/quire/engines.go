package main

import (
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/python"
)

// engines is the table of languages that runtimes of this build execute. Programs
// start in dir, the current directory if that is empty, and keep to limits.
func (a *app) engines(dir string, l limits) *lang.Set {
	return lang.NewSet([]lang.Spec{
		{Language: "python", New: func() (lang.Engine, error) {
			engine, err := python.New(python.Config{
				Python: a.config.Python, Dir: dir, Env: withoutOurs(a.environ),
				Limits: python.Limits{Memory: l.memory, CPU: l.cpu, Files: l.files, Processes: l.processes, FileSize: l.fileSize},
			})
			if err != nil {
				return nil, err
			}
			return &limited{engine, l}, nil
		}},
	})
}

// absolutePython returns an interpreter that is meant from the current directory as
// it can be found from any.
func absolutePython(name string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	return filepath.Abs(name)
}
