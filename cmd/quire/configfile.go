package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fileKeys is the table of what a configuration file can set: for each key the
// variable that counts more.
var fileKeys = map[string]string{
	"server": "QUIRE_SERVER", "token": "QUIRE_TOKEN", "data": "QUIRE_DATA", "python": "QUIRE_PYTHON", "addr": "QUIRE_ADDR",
	"log": "QUIRE_LOG", "idle": "QUIRE_IDLE", "grace": "QUIRE_GRACE", "maxRuntimes": "QUIRE_MAX_RUNTIMES",
	"artifacts": "QUIRE_ARTIFACTS", "artifactSize": "QUIRE_ARTIFACT_SIZE", "notebookArtifacts": "QUIRE_NOTEBOOK_ARTIFACTS",
	"memory": "QUIRE_MEMORY", "cpu": "QUIRE_CPU", "fileSize": "QUIRE_FILE_SIZE", "files": "QUIRE_FILES", "processes": "QUIRE_PROCESSES",
	"runTime": "QUIRE_RUN_TIME", "disk": "QUIRE_DISK", "output": "QUIRE_OUTPUT", "notebookOutput": "QUIRE_NOTEBOOK_OUTPUT",
	"sandbox": "QUIRE_SANDBOX", "sandboxNetwork": "QUIRE_SANDBOX_NETWORK", "sandboxRead": "QUIRE_SANDBOX_READ", "sandboxEnv": "QUIRE_SANDBOX_ENV",
}

// withFile returns what looks up variables in the environment and then in the
// configuration file, if there is one: QUIRE_CONFIG, or config.json in the
// directory quire of the user's configuration.
func withFile(getenv func(string) string, home func() (string, error)) (func(string) string, error) {
	name := getenv("QUIRE_CONFIG")
	if name == "" {
		if name = defaultFile(getenv("XDG_CONFIG_HOME"), home); name == "" {
			return getenv, nil
		}
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && getenv("QUIRE_CONFIG") == "" {
		return getenv, nil
	}
	if err != nil {
		return getenv, fail(exitUsage, "read the configuration: %w", err)
	}
	set, err := readConfig(data)
	if err != nil {
		return getenv, fail(exitUsage, "read the configuration %s: %w", name, err)
	}
	return func(variable string) string { return cmp.Or(getenv(variable), set[variable]) }, nil
}

func defaultFile(xdg string, home func() (string, error)) string {
	if filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "quire", "config.json")
	}
	dir, err := home()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, ".config", "quire", "config.json")
}

// readConfig returns what a file sets, by variable.
func readConfig(data []byte) (map[string]string, error) {
	var given map[string]any
	if err := json.Unmarshal(data, &given); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line, column := placeOf(data, syntax.Offset)
			return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
		return nil, errors.New("want a JSON object")
	}
	set := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		variable := fileKeys[key]
		if variable == "" {
			return nil, fmt.Errorf("there is no setting %q: there are %s", key, strings.Join(slices.Sorted(maps.Keys(fileKeys)), ", "))
		}
		switch value := given[key].(type) {
		case string:
			set[variable] = value
		case float64:
			set[variable] = fmt.Sprint(value)
		default:
			return nil, fmt.Errorf("%q must be text or a number", key)
		}
	}
	return set, nil
}
