package cmdline

import (
	"encoding/json"
	"errors"

	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/file"
)

// ParamFlag is a flag that adds a parameter, NAME=VALUE, each time it is given.
type ParamFlag struct {
	To   *params.List
	Text bool // the value is text, whatever it looks like
}

// Set implements [pflag.Value].
func (f ParamFlag) Set(arg string) error {
	p, err := params.Parse(arg, f.Text)
	if err == nil {
		f.To.Set(p)
	}
	return err
}

// String implements [pflag.Value]: there is no default.
func (ParamFlag) String() string { return "" }

// Type implements [pflag.Value].
func (ParamFlag) Type() string { return "NAME=VALUE" }

// ParamsOf returns the parameters of a file and, which count more, of flags.
func ParamsOf(name string, flags params.List) (params.List, error) {
	if name == "" {
		return flags, nil
	}
	data, err := namedfile.ReadUpTo(name, namedfile.MostSettings)
	if err != nil {
		return nil, terminal.Fail(terminal.Usage, "read parameters: %s: %w", name, file.Reason(name, err))
	}
	all, err := params.Read(data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		err = file.NotJSON(data, syntax)
	}
	if err != nil {
		return nil, terminal.Fail(terminal.Usage, "read parameters: %s: %w", name, err)
	}
	for _, p := range flags {
		all.Set(p)
	}
	return all, nil
}
