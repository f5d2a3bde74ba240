package scheme

import (
	"fmt"
	"io"
	"slices"
)

// systemPrims are the procedures that reach the host, as far as a Config grants it.
func systemPrims() []*prim {
	return []*prim{
		{name: "current-second", fn: currentSecond},
		{name: "current-jiffy", fn: currentJiffy},
		{name: "jiffies-per-second", fn: func(*machine, []Value) (Value, error) { return int64(jiffies), nil }},
		{name: "features", fn: func(m *machine, _ []Value) (Value, error) {
			var all []Value
			for _, f := range features {
				all = append(all, m.in.intern(f))
			}
			return list(all...), nil
		}},
		{name: "command-line", fn: func(m *machine, _ []Value) (Value, error) { return strings1(m.in.config.Arguments), nil }},
		{name: "get-environment-variable", min: 1, max: 1, fn: environmentVariable},
		{name: "get-environment-variables", fn: environmentVariables},
		{name: "%exit", max: 1, fn: func(_ *machine, a []Value) (Value, error) { return nil, &exit{append(slices.Clone(a), true)[0]} }},

		{name: "open-input-file", min: 1, max: 1, fn: openFile("open-input-file", true, false)},
		{name: "open-binary-input-file", min: 1, max: 1, fn: openFile("open-binary-input-file", true, true)},
		{name: "open-output-file", min: 1, max: 1, fn: openFile("open-output-file", false, false)},
		{name: "open-binary-output-file", min: 1, max: 1, fn: openFile("open-binary-output-file", false, true)},
		{name: "file-exists?", min: 1, max: 1, fn: fileExists},
		{name: "delete-file", min: 1, max: 1, fn: deleteFile},
	}
}

const jiffies = 1_000_000 // a second

func currentSecond(m *machine, _ []Value) (Value, error) {
	if m.in.config.Now == nil {
		return nil, notGranted("current-second", "a clock")
	}
	return float64(m.in.config.Now().UnixMicro()) / 1e6, nil
}

func currentJiffy(m *machine, _ []Value) (Value, error) {
	if m.in.config.Now == nil {
		return nil, notGranted("current-jiffy", "a clock")
	}
	return m.in.config.Now().Sub(m.in.began).Microseconds(), nil
}

// strings1 returns texts as a list of strings.
func strings1(texts []string) Value {
	var all []Value
	for _, s := range texts {
		all = append(all, newStr(s))
	}
	return list(all...)
}

func environmentVariable(m *machine, a []Value) (Value, error) {
	s, err := argStr("get-environment-variable", a, 0)
	if err != nil {
		return nil, err
	}
	if v, ok := m.in.config.Environ[s.String()]; ok {
		return newStr(v), nil
	}
	return false, nil
}

func environmentVariables(m *machine, _ []Value) (Value, error) {
	var names []string
	for name := range m.in.config.Environ {
		names = append(names, name)
	}
	slices.Sort(names)
	var all []Value
	for _, name := range names {
		all = append(all, &pair{newStr(name), newStr(m.in.config.Environ[name])})
	}
	return list(all...), nil
}

func (m *machine) fileName(who string, a []Value) (string, error) {
	s, err := argStr(who, a, 0)
	if err != nil {
		return "", err
	}
	if m.in.config.Files == nil {
		return "", notGranted(who, "files")
	}
	return s.String(), nil
}

func openFile(who string, input, binary bool) primitive {
	return func(m *machine, a []Value) (Value, error) {
		name, err := m.fileName(who, a)
		if err != nil {
			return nil, err
		}
		if !input {
			w, err := m.in.config.Files.Create(name)
			if err != nil {
				return nil, fault(kindFile, "%s: %v", who, err)
			}
			return &port{name: name, output: &output{binary: binary, w: w}, closer: w}, nil
		}
		bytes, err := m.readFile(who, name)
		if err != nil {
			return nil, err
		}
		if binary {
			return &port{name: name, input: &byteIn{bytes: bytes}}, nil
		}
		return m.in.textInput(name, newTextIn(decode(bytes))), nil
	}
}

// maxFile bounds the files that are read.
const maxFile = 1 << 30

func (m *machine) readFile(who, name string) ([]byte, error) {
	r, err := m.in.config.Files.Open(name)
	if err != nil {
		return nil, fault(kindFile, "%s: %v", who, err)
	}
	bytes, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err == nil && len(bytes) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	if err != nil {
		return nil, fault(kindFile, "%s: %v", who, err)
	}
	return bytes, m.reserveItems(len(bytes), 1)
}

func fileExists(m *machine, a []Value) (Value, error) {
	name, err := m.fileName("file-exists?", a)
	if err != nil {
		return nil, err
	}
	return m.in.config.Files.Exists(name), nil
}

func deleteFile(m *machine, a []Value) (Value, error) {
	name, err := m.fileName("delete-file", a)
	if err != nil {
		return nil, err
	}
	if err := m.in.config.Files.Remove(name); err != nil {
		return nil, fault(kindFile, "delete-file: %v", err)
	}
	return unspecified{}, nil
}
