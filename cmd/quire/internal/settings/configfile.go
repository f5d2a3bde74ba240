package settings

import (
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

// WithFile returns the lookup of a variable in the environment and then in the configuration file, if there is one: QUIRE_CONFIG,
// or config.json in the directory quire of the user's configuration.
func WithFile(getenv func(string) string, home func() (string, error), read func(string) ([]byte, error)) (func(string) string, error) {
	name := getenv("QUIRE_CONFIG")
	if name == "" {
		if name = defaultFile(getenv("XDG_CONFIG_HOME"), home); name == "" {
			return getenv, nil
		}
	}
	data, err := read(name)
	if errors.Is(err, fs.ErrNotExist) && getenv("QUIRE_CONFIG") == "" {
		return getenv, nil
	}
	if err != nil {
		return getenv, fmt.Errorf("read the configuration %s: %w", name, file.Reason(name, err))
	}
	set, err := readFile(data)
	if err != nil {
		return getenv, fmt.Errorf("read the configuration %s: %w", name, err)
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

// readFile returns the settings of a configuration file, by variable.
func readFile(data []byte) (map[string]string, error) {
	var given map[string]any
	if err := json.Unmarshal(data, &given); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, file.NotJSON(data, syntax)
		}
		return nil, errors.New("want a JSON object")
	}
	keys := byKey()
	set := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		s := keys[key]
		if s == nil {
			return nil, fmt.Errorf("there is no setting %q: there are %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		}
		text, err := s.fromJSON(key, given[key])
		if err != nil {
			return nil, err
		}
		set[s.Variable] = text
	}
	return set, nil
}

// byKey returns the settings that a file can make.
func byKey() map[string]*Setting {
	keys := map[string]*Setting{}
	for i := range table {
		s := &table[i]
		for _, key := range []string{s.Key, s.FormerKey} {
			if key != "" {
				keys[key] = s
			}
		}
	}
	return keys
}

// fromJSON returns a value of the file as its variable would have it. Only switches can be true or false, and only lists a list;
// others are texts or numbers.
func (s *Setting) fromJSON(key string, value any) (string, error) {
	field := s.field(new(Config))
	switch value := value.(type) {
	case string:
		return value, nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	case bool:
		if _, is := field.(*bool); is {
			return strconv.FormatBool(value), nil
		}
	case []any:
		if _, is := field.(*[]string); is {
			return s.join(key, value)
		}
	}
	return "", fmt.Errorf("%q must be text or a number", key)
}

// join returns a list as the variable has it.
func (s *Setting) join(key string, values []any) (string, error) {
	separator := string(filepath.ListSeparator)
	if s.Words {
		separator = " "
	}
	var list []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%q: a list must be of texts", key)
		}
		list = append(list, text)
	}
	return strings.Join(list, separator), nil
}
