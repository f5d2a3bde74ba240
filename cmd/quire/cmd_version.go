package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
)

func (a *app) versionCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cmdline.Want(),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return namedfile.WriteJSON(a.stdout, map[string]string{
					"version": versionName(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintln(a.stdout, versionLine())
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// versionFlag adds --version to the root command. Cobra's own flag would do, but its text is a template, and a program that
// executes templates keeps every exported method of every type: seven megabytes, some of them in memory.
func (a *app) versionFlag(root *cobra.Command) {
	asked := root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*asked {
			return cmd.Help()
		}
		_, err := fmt.Fprintln(a.stdout, versionLine())
		return err
	}
}

// versionLine returns the version for users.
func versionLine() string {
	return fmt.Sprintf("quire %s %s %s/%s", versionName(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// jsonFlag adds the flag for programs that read the output of a command.
func jsonFlag(cmd *cobra.Command, to *bool) { cmd.Flags().BoolVar(to, "json", false, "write JSON") }

// versionName returns the version that the linker set, else the one that the go command knows.
func versionName() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		return cmp.Or(info.Main.Version, "dev")
	}
	return "dev"
}
