package settings

import (
	"bytes"
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

// File is a configuration file that was read. The zero File sets nothing.
type File struct {
	name string
	set  map[string]fileValue // by variable
}

// fileValue is a value of a configuration file, as its variable would have it.
type fileValue struct {
	text, key string
	line      int // from 1
}

// ReadFile reads the configuration file, if there is one: QUIRE_CONFIG, or config.json in the directory quire of the user's
// configuration.
func ReadFile(getenv func(string) string, home func() (string, error), read func(string) ([]byte, error)) (File, error) {
	name := getenv("QUIRE_CONFIG")
	if name == "" {
		if name = defaultFile(getenv("XDG_CONFIG_HOME"), home); name == "" {
			return File{}, nil
		}
	}
	data, err := read(name)
	if errors.Is(err, fs.ErrNotExist) && getenv("QUIRE_CONFIG") == "" {
		return File{}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("read the configuration %s: %w", name, file.Reason(name, err))
	}
	set, err := parseFile(data)
	if err != nil {
		return File{}, fmt.Errorf("read the configuration %s: %w", name, err)
	}
	return File{name: name, set: set}, nil
}

// place returns the place of a value for errors: the file, the line and the key.
func (f File) place(v fileValue) string {
	return fmt.Sprintf("%s, line %d, %q", f.name, v.line, v.key)
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

// parseFile returns the settings of a configuration file, by variable. Of a key that is there twice the last counts.
func parseFile(data []byte) (map[string]fileValue, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, file.NotJSON(data, syntax)
		}
		return nil, errors.New("want a JSON object")
	}
	keys, lines := byKey(), linesOf(data)
	set := map[string]fileValue{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		s := keys[key]
		if s == nil {
			return nil, fmt.Errorf("line %d: there is no setting %q: there are %s", lines[key], key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		}
		text, err := s.fromJSON(key, given[key])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", lines[key], err)
		}
		set[s.Variable] = fileValue{text: text, key: key, line: lines[key]}
	}
	return set, nil
}

// linesOf returns the line of each key of a JSON object.
func linesOf(data []byte) map[string]int {
	lines := map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // the brace
		return lines
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return lines
		}
		lines[name] = 1 + bytes.Count(data[:dec.InputOffset()], []byte{'\n'})
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return lines
		}
	}
	return lines
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
func (s *Setting) fromJSON(key string, data json.RawMessage) (string, error) {
	var value any
	_ = json.Unmarshal(data, &value) // it is JSON, and only a number that nothing can hold is left out
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
	switch field.(type) {
	case *bool:
		return "", fmt.Errorf("%q must be true or false", key)
	case *[]string:
		return "", fmt.Errorf("%q must be a list of texts", key)
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
			return "", fmt.Errorf("%q must be a list of texts", key)
		}
		list = append(list, text)
	}
	return strings.Join(list, separator), nil
}
