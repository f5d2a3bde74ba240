package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

type doctorOptions struct{ json bool }

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what Quire needs, and say what to do where it is missing",
		Long: `Check the data directory, its database when no server has it open, the server or
the address for one, Python and the packages that most notebooks use, and this
machine, and say what to do about what is not right.

The exit code is 1 when something does not work. Warnings are about what may.`,
		Args: want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the findings as JSON")
	a.config.AddFlags(cmd.Flags(), "doctor")
	return cmd
}

// state is how something is that doctor has looked at.
type state string

// The states, from good to bad.
const (
	stateOK     state = "ok"
	stateWarn   state = "warning"
	stateBroken state = "broken"
)

// finding is what one look of doctor has shown.
type finding struct {
	Name   string `json:"name"`
	State  state  `json:"state"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do about it
}

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	var all []finding
	for _, look := range a.looks() {
		all = append(all, look(ctx)...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := a.writeFindings(all, o); err != nil {
		return err
	}
	broken := 0
	for _, f := range all {
		if f.State == stateBroken {
			broken++
		}
	}
	if broken > 0 {
		return fail(exitFailed, "doctor: %d of %d things do not work", broken, len(all))
	}
	return nil
}

// looks is the table of what doctor looks at.
func (a *app) looks() []func(context.Context) []finding {
	return []func(context.Context) []finding{
		a.lookAtData, a.lookAtSecrets, a.lookAtDatabase, a.lookAtServer, a.lookAtPython, a.lookAtMachine, a.lookAtContainment,
	}
}

func (a *app) writeFindings(all []finding, o doctorOptions) error {
	if o.json {
		data, err := json.MarshalIndent(all, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s\n", data)
		}
		return err
	}
	for _, f := range all {
		if _, err := fmt.Fprintf(a.stdout, "%-8s %s: %s\n", f.State, f.Name, f.Detail); err != nil {
			return err
		}
		if f.Advice != "" {
			fmt.Fprintf(a.stdout, "%8s %s\n", "", f.Advice)
		}
	}
	return nil
}

// good, doubtful and bad make the one finding of a look.
func good(name, detail string, args ...any) []finding {
	return []finding{{name, stateOK, fmt.Sprintf(detail, args...), ""}}
}

func doubtful(name, advice, detail string, args ...any) []finding {
	return []finding{{name, stateWarn, fmt.Sprintf(detail, args...), advice}}
}

func bad(name, advice, detail string, args ...any) []finding {
	return []finding{{name, stateBroken, fmt.Sprintf(detail, args...), advice}}
}
