package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/internal/file"
)

// fileKeys is the table of what a configuration file can set: for each key the
// variable that counts more.
var fileKeys = map[string]string{
	"server": "QUIRE_SERVER", "token": "QUIRE_TOKEN", "data": "QUIRE_DATA", "python": "QUIRE_PYTHON", "addr": "QUIRE_ADDR",
	"kernel": "QUIRE_KERNEL", "notebook": "QUIRE_NOTEBOOK", "color": "QUIRE_COLOR",
	"log": "QUIRE_LOG", "logLevel": "QUIRE_LOG", "logFormat": "QUIRE_LOG_FORMAT", "idle": "QUIRE_IDLE", "grace": "QUIRE_GRACE", "maxRuntimes": "QUIRE_MAX_RUNTIMES",
	"artifacts": "QUIRE_ARTIFACTS", "artifactSize": "QUIRE_ARTIFACT_SIZE", "notebookArtifacts": "QUIRE_NOTEBOOK_ARTIFACTS", "notebookSize": "QUIRE_NOTEBOOK_SIZE", "historySize": "QUIRE_HISTORY_SIZE", "historyFor": "QUIRE_HISTORY_FOR", "dataSize": "QUIRE_DATA_SIZE",
	"memory": "QUIRE_MEMORY", "cpu": "QUIRE_CPU", "fileSize": "QUIRE_FILE_SIZE", "files": "QUIRE_FILES", "processes": "QUIRE_PROCESSES",
	"runTime": "QUIRE_RUN_TIME", "disk": "QUIRE_DISK", "output": "QUIRE_OUTPUT", "notebookOutput": "QUIRE_NOTEBOOK_OUTPUT",
	"publicURL": "QUIRE_PUBLIC_URL", "hosts": "QUIRE_HOSTS", "trustedProxies": "QUIRE_TRUSTED_PROXIES", "proxyProtocol": "QUIRE_PROXY_PROTOCOL",
	"tlsCert": "QUIRE_TLS_CERT", "tlsKey": "QUIRE_TLS_KEY", "exposeToNetwork": "QUIRE_EXPOSE_TO_NETWORK", "requireLimits": "QUIRE_REQUIRE_LIMITS", "trustImports": "QUIRE_TRUST_IMPORTS",
	"sandbox": "QUIRE_SANDBOX", "sandboxNetwork": "QUIRE_SANDBOX_NETWORK", "sandboxAsRoot": "QUIRE_SANDBOX_AS_ROOT", "sandboxRead": "QUIRE_SANDBOX_READ", "sandboxEnv": "QUIRE_SANDBOX_ENV",
}

// switchKeys and listKeys are those of the keys that are no texts or numbers.
var (
	switchKeys = []string{"sandbox", "sandboxNetwork", "sandboxAsRoot", "proxyProtocol", "exposeToNetwork", "requireLimits", "trustImports"}
	listKeys   = []string{"sandboxRead", "sandboxEnv", "hosts", "trustedProxies"}
)

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
	data, err := readNamed(name, mostSettings)
	if errors.Is(err, fs.ErrNotExist) && getenv("QUIRE_CONFIG") == "" {
		return getenv, nil
	}
	if err != nil {
		return getenv, fail(exitUsage, "read the configuration %s: %w", name, file.Reason(name, err))
	}
	set, err := readConfig(data)
	if err != nil {
		return getenv, fail(exitUsage, "read the configuration %s: %w", name, err)
	}
	return func(variable string) string { return cmp.Or(getenv(variable), set[variable]) }, nil
}

// listOf returns a list as variables have it.
func listOf(values []any, separator string) (string, error) {
	var list []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			return "", errors.New("a list must be of texts")
		}
		list = append(list, text)
	}
	return strings.Join(list, separator), nil
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
			return nil, notJSON(data, syntax)
		}
		return nil, errors.New("want a JSON object")
	}
	set := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		variable := fileKeys[key]
		if variable == "" {
			return nil, fmt.Errorf("there is no setting %q: there are %s", key, strings.Join(slices.Sorted(maps.Keys(fileKeys)), ", "))
		}
		// Switches and lists are taken where there are flags of that kind; other settings are texts.
		isSwitch, isList := slices.Contains(switchKeys, key), slices.Contains(listKeys, key)
		switch value := given[key].(type) {
		case string:
			set[variable] = value
		case float64:
			set[variable] = strconv.FormatFloat(value, 'f', -1, 64)
		case bool:
			if !isSwitch {
				return nil, fmt.Errorf("%q must be text or a number", key)
			}
			set[variable] = strconv.FormatBool(value)
		case []any:
			separator := string(filepath.ListSeparator)
			if key == "hosts" || key == "trustedProxies" {
				separator = " " // addresses have colons
			}
			list, err := listOf(value, separator)
			if !isList {
				return nil, fmt.Errorf("%q must be text or a number", key)
			}
			if err != nil {
				return nil, fmt.Errorf("%q: %w", key, err)
			}
			set[variable] = list
		default:
			return nil, fmt.Errorf("%q must be text or a number", key)
		}
	}
	return set, nil
}

// placeOf returns the line and the column, both from 1, at which a byte stands.
func placeOf(data []byte, at int64) (line, column int) {
	before := data[:min(max(at-1, 0), int64(len(data)))]
	return bytes.Count(before, []byte{'\n'}) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// notJSON says where a text stops to be JSON.
func notJSON(data []byte, at *json.SyntaxError) error {
	line, column := placeOf(data, at.Offset)
	if strings.Contains(at.Error(), "unexpected end") { // the place alone does not tell it from a wrong last letter
		return fmt.Errorf("line %d, column %d: it is not JSON: it ends too early", line, column)
	}
	return fmt.Errorf("line %d, column %d: it is not JSON", line, column)
}
