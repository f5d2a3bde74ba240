package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/host/terminal"
)

// maxURL bounds the URL of a database, in bytes.
const maxURL = 8 << 10

func (a *app) connectionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "connection",
		Short: "List, add or remove the databases that SQL cells reach by a name",
		Long: `List, add or remove the databases that SQL cells reach by a name, with a first line
such as "-- connection: shop". Their URLs have passwords: they are in a file of the
data directory that only you can read, and in no notebook, log or command line. SQL
cells of notebooks whose programs run in the sandbox reach none of them.`,
		Args: cmdline.Want(),
		RunE: func(*cobra.Command, []string) error { return a.listConnections(asJSON) },
	}
	jsonFlag(cmd, &asJSON)
	cmd.AddCommand(a.connectionAddCommand(), a.connectionLsCommand(), a.connectionRmCommand())
	return cmd
}

func (a *app) connectionAddCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Store a database, whose URL is asked for or read from stdin",
		Long: `Store a database under a name, in place of an earlier one. Its URL is typed at the
terminal, where it is not shown, or is the first line of stdin: others can read a
command line. PostgreSQL has a URL such as postgres://user:password@host:5432/name,
and a file of SQLite or DuckDB one such as sqlite:/path/of/a/file.db or
duckdb:/path/of/a/file.duckdb.`,
		Example: "  quire connection add shop\n  quire connection add shop < url.txt",
		Args:    cmdline.Want("NAME"),
		RunE: a.begin(func(_ *cobra.Command, args []string) error {
			address, err := a.readURL(args[0])
			if err == nil {
				err = a.connections().Set(args[0], address)
			}
			if err != nil {
				return fail(exitUsage, "add connection: %w", err)
			}
			return nil
		}),
	}
	return cmd
}

// readURL reads the URL of a database from the user or from stdin.
func (a *app) readURL(name string) (string, error) {
	line, asked, err := a.secretLine("URL of "+terminal.CleanLine(name)+" (it is not shown): ", maxURL)
	switch {
	case asked:
		return line, err
	case err != nil:
		return "", fmt.Errorf("read the URL: %w", err)
	case line == "" || len(line) > maxURL:
		return "", fmt.Errorf("stdin must have the URL in its first line, of at most %d bytes", maxURL)
	}
	return line, nil
}

// secretLine reads a line that is not shown from the user, who was asked then, or the first line of stdin, of which it reads
// one byte more than the most that is allowed. The line has no space around it.
func (a *app) secretLine(prompt string, most int64) (line string, asked bool, err error) {
	if a.isTerminal && a.console != nil {
		line, err = a.console.Ask(prompt, true)
		return strings.TrimSpace(line), true, err
	}
	line, err = bufio.NewReader(io.LimitReader(a.stdin, most+1)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), false, err
}

func (a *app) connectionLsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the databases, without their passwords",
		Args:  cmdline.Want(),
		RunE:  a.begin(func(*cobra.Command, []string) error { return a.listConnections(asJSON) }),
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) listConnections(asJSON bool) error {
	list, err := a.connections().List()
	if err != nil {
		return fmt.Errorf("list connections: %w", err)
	}
	if asJSON {
		return namedfile.WriteJSON(a.stdout, list)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, c := range list {
		fmt.Fprintf(w, "%s\t%s\n", c.Name, terminal.CleanLine(c.Place))
	}
	return w.Flush()
}

func (a *app) connectionRmCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a database",
		Args:  cmdline.Want("NAME"),
		RunE: a.begin(func(_ *cobra.Command, args []string) error {
			if err := a.connections().Remove(args[0]); err != nil {
				return fmt.Errorf("remove connection: %w", err)
			}
			return nil
		}),
	}
	return cmd
}

// connections returns the databases of the data directory.
func (a *app) connections() datadir.Connections { return datadir.Connections{Dir: a.config.Data} }

// connection returns the URL of a database for SQL cells.
func (a *app) connection(name string) (string, error) { return a.connections().URL(name) }
