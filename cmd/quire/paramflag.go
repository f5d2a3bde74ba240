package main

import (
	"encoding/json"
	"errors"

	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/internal/file"
)

// paramFlag is a flag that adds a parameter, NAME=VALUE, each time it is given.
type paramFlag struct {
	to   *params.List
	text bool // the value is text, whatever it looks like
}

// Set implements [pflag.Value].
func (f paramFlag) Set(arg string) error {
	p, err := params.Parse(arg, f.text)
	if err == nil {
		f.to.Set(p)
	}
	return err
}

// String implements [pflag.Value]: there is no default.
func (paramFlag) String() string { return "" }

// Type implements [pflag.Value].
func (paramFlag) Type() string { return "NAME=VALUE" }

// paramsOf returns the parameters of a file and, which count more, of flags.
func paramsOf(name string, flags params.List) (params.List, error) {
	if name == "" {
		return flags, nil
	}
	data, err := readNamed(name, mostSettings)
	if err != nil {
		return nil, fail(exitUsage, "read parameters: %s: %w", name, file.Reason(name, err))
	}
	all, err := params.Read(data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		err = file.NotJSON(data, syntax)
	}
	if err != nil {
		return nil, fail(exitUsage, "read parameters: %s: %w", name, err)
	}
	for _, p := range flags {
		all.Set(p)
	}
	return all, nil
}
