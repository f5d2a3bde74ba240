package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// Place is where an interpreter is.
type Place struct {
	Executable string   // by which it knows itself
	Folders    []string // that it reads, such as that of its library
}

// askPlace has an interpreter say where it is: an environment and what that is made
// from, and where modules are looked for.
const askPlace = `import json, os, sys
real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
paths = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, real, *sys.path]
print(json.dumps({"Executable": sys.executable, "Folders": [p for p in dict.fromkeys(paths) if os.path.isabs(p) and os.path.exists(p)]}))`

// Locate finds the interpreter that a configuration means, as [New] does, and starts it
// to ask where it really is: what is found in PATH may only be something that starts it.
func Locate(ctx context.Context, config Config) (Place, error) {
	python, err := find(config)
	if err != nil {
		return Place{}, err
	}
	cmd := exec.CommandContext(ctx, python, "-c", askPlace)
	cmd.Env, cmd.Dir = config.Env, config.Dir
	out, err := cmd.Output()
	var place Place
	if err == nil {
		err = json.Unmarshal(out, &place)
	}
	if err == nil && place.Executable == "" {
		err = errors.New("it does not know")
	}
	if err != nil {
		return Place{}, fmt.Errorf("ask %s where it is: %w", python, err)
	}
	return place, nil
}
