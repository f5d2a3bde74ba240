package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/doctor"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

type doctorOptions struct{ json bool }

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what Quire needs, and say what to do where it is missing",
		Long: `Check the data directory, its database when no server has it open, the server or
the address for one, Python and the packages that most notebooks use, and this
machine, with advice for each thing that is not right.

The exit code is 1 when something does not work. Warnings are about what may.`,
		Args: cmdline.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the findings as JSON")
	a.config.AddFlags(cmd.Flags(), "doctor")
	return cmd
}

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	all, err := doctor.Run(ctx, doctor.Config{
		Settings: a.config, Environ: settings.ForPrograms(a.environ), Version: versionName(),
		Connect: func() (doctor.Server, error) {
			c, err := a.client()
			return checkedServer{c}, err
		},
	})
	if err != nil {
		return err
	}
	if err := a.writeFindings(all, o); err != nil {
		return err
	}
	broken := 0
	for _, f := range all {
		if f.State == doctor.Broken {
			broken++
		}
	}
	if broken > 0 {
		return fail(exitFailed, "doctor: %d of %d things do not work", broken, len(all))
	}
	return nil
}

func (a *app) writeFindings(all []doctor.Finding, o doctorOptions) error {
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

// checkedServer is the server of a client for the checks.
type checkedServer struct{ *client.Client }

// URL implements [doctor.Server].
func (s checkedServer) URL() string { return s.Server.URL }

// Version implements [doctor.Server].
func (s checkedServer) Version(ctx context.Context) (string, error) {
	var theirs struct {
		Version string `json:"version"`
	}
	err := s.unnamed().Call(ctx, http.MethodGet, "/api/version", nil, &theirs)
	return theirs.Version, err
}

// Health implements [doctor.Server].
func (s checkedServer) Health(ctx context.Context) error { return s.unnamed().Reachable(ctx) }

// unnamed returns the client without its token: at first it is not known which program answers.
func (s checkedServer) unnamed() *client.Client {
	c := *s.Client
	c.Server.Token = ""
	return &c
}

// HasToken implements [doctor.Server].
func (s checkedServer) HasToken() bool { return s.Server.Token != "" }

// CheckToken implements [doctor.Server].
func (s checkedServer) CheckToken(ctx context.Context) error {
	return s.Call(ctx, http.MethodGet, "/api/me", nil, nil)
}
