package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/providers"
	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/llm/catalogue"
)

// maxKey bounds the key of a provider, in bytes.
const maxKey = 4 << 10

func (a *app) providerCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "provider",
		Short: "List, add, test or remove the services of language models",
		Long: `List, add, test or remove the services of language models that answer AI cells.

A service is found by its key in the environment (ANTHROPIC_API_KEY, GROQ_API_KEY,
OPENAI_API_KEY, or OLLAMA_HOST for a server of Ollama), or it is stored by "quire
provider add". Stored keys are in a file of the data directory that only you can
read, and in no notebook, log or command line.`,
		Args: cmdline.Want(),
		RunE: func(*cobra.Command, []string) error { return a.listProviders(asJSON) },
	}
	jsonFlag(cmd, &asJSON)
	cmd.AddCommand(a.providerAddCommand(), a.providerLsCommand(), a.providerRmCommand(), a.providerTestCommand(), a.providerModelsCommand(), a.providerPullCommand())
	return cmd
}

func (a *app) providerAddCommand() *cobra.Command {
	var p datadir.Provider
	cmd := &cobra.Command{
		Use:   "add NAME --kind KIND",
		Short: "Store a service, whose key is asked for or read from stdin",
		Long: `Store a service under a name, in place of an earlier one. Its key is typed at the
terminal, where it is not shown, or is the first line of stdin: others can read a
command line. A server of your own may have none, and then the line is empty.

The kind openai is for all services that speak OpenAI's chat completions, such as
vLLM, llama.cpp, LM Studio and OpenRouter, with their URL. A scripted model plays
the turns of a file, for tests and demonstrations.`,
		Example: "  quire provider add anthropic --kind anthropic < key.txt\n  quire provider add local --kind openai --url http://localhost:8000/v1 < /dev/null\n  quire provider add demo --kind scripted --script turns.json",
		Args:    cmdline.Want("NAME"),
		RunE: a.begin(func(_ *cobra.Command, args []string) error {
			p.Name = args[0]
			err := a.addProvider(p)
			if err != nil {
				return fail(exitUsage, "add provider: %w", err)
			}
			return nil
		}),
	}
	cmdline.StringFlag(cmd.Flags(), &p.Kind, "kind", "KIND", "the kind of the service: "+strings.Join(providers.Kinds(), ", "))
	cmdline.StringFlag(cmd.Flags(), &p.URL, "url", "URL", "where the service is, if it is not the usual one of its kind")
	cmdline.StringFlag(cmd.Flags(), &p.Script, "script", "FILE", "the turns of a scripted model")
	return cmd
}

// addProvider stores a provider, with the key that the user gives.
func (a *app) addProvider(p datadir.Provider) (err error) {
	if p.Kind == "" {
		return fmt.Errorf("--kind is missing: the kinds are %s", strings.Join(providers.Kinds(), ", "))
	}
	if p.Script != "" {
		if p.Script, err = filepath.Abs(p.Script); err != nil {
			return err
		}
	}
	if err := providers.Check(p); err != nil {
		return err
	}
	if providers.TakesKey(p.Kind) {
		if p.Key, err = a.readKey(p); err != nil {
			return err
		}
		if err := providers.Check(p); err != nil {
			return err
		}
	}
	return a.storedProviders().Set(p)
}

// readKey reads the key of a provider from the user or from stdin.
func (a *app) readKey(p datadir.Provider) (string, error) {
	line, _, err := a.secretLine("Key of "+terminal.CleanLine(p.Name)+" (it is not shown; empty for none): ", maxKey)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	switch {
	case len(line) > maxKey:
		return "", fmt.Errorf("the key is longer than %d bytes", maxKey)
	case line == "" && providers.NeedsKey(p.Kind, p.URL):
		return "", fmt.Errorf("the key is missing: stdin must have it in its first line, or type it at a terminal; a server of your own without one needs --url")
	}
	return line, nil
}

func (a *app) providerLsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the services, without their keys",
		Args:  cmdline.Want(),
		RunE:  a.begin(func(*cobra.Command, []string) error { return a.listProviders(asJSON) }),
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// listedProvider is a provider as `quire provider ls` shows it.
type listedProvider struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Place  string `json:"place"`  // its URL or script
	Key    bool   `json:"key"`    // it has one
	Source string `json:"source"` // "stored", or the variable that it is from
}

func (a *app) listProviders(asJSON bool) error {
	all, err := a.foundProviders()
	if err != nil {
		return fmt.Errorf("list providers: %w", err)
	}
	list := []listedProvider{}
	for _, f := range all {
		list = append(list, listedProvider{f.Name, f.Kind, f.Place(), f.Key != "", f.Source})
	}
	if asJSON {
		return namedfile.WriteJSON(a.stdout, list)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, l := range list {
		key := "no key"
		if l.Key {
			key = "key"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.Kind, terminal.CleanLine(l.Place), key, l.Source)
	}
	return w.Flush()
}

func (a *app) providerRmCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a service that was stored",
		Args:  cmdline.Want("NAME"),
		RunE: a.begin(func(_ *cobra.Command, args []string) error {
			if err := a.storedProviders().Remove(args[0]); err != nil {
				return fmt.Errorf("remove provider: %w", err)
			}
			return nil
		}),
	}
}

func (a *app) providerTestCommand() *cobra.Command {
	var model string
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Ask a service for its models, and one of them for an answer",
		Args:  cmdline.Want("NAME"),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if err := a.testProvider(cmd.Context(), args[0], model); err != nil {
				return fmt.Errorf("test provider: %w", err)
			}
			return nil
		}),
	}
	cmdline.StringFlag(cmd.Flags(), &model, "model", "MODEL", "the model to ask for an answer, which may cost a little")
	return cmd
}

func (a *app) testProvider(ctx context.Context, name, model string) error {
	f, err := a.foundProvider(name)
	if err != nil {
		return err
	}
	p := providers.Open(f)
	models, err := p.Models(ctx)
	if err != nil {
		return err
	}
	usable := 0
	for _, m := range models {
		if m.Unusable == "" {
			usable++
		}
	}
	fmt.Fprintf(a.stdout, "%s has %d models, %d of them for conversations\n", name, len(models), usable)
	if model == "" {
		return nil
	}
	return a.askModel(ctx, p, model)
}

// askModel prints a short answer of a model with its usage.
func (a *app) askModel(ctx context.Context, p assist.Provider, model string) error {
	r := assist.Request{Model: model, Messages: []assist.Message{{Role: assist.RoleUser, Text: "Answer with one word: are you there?"}}}
	var answer assist.Message
	var usage assist.Usage
	for c, err := range p.Answer(ctx, r) {
		if err == nil {
			err = answer.Join(c)
		}
		if err != nil {
			return err
		}
		if c.Usage != nil {
			usage = *c.Usage
		}
	}
	fmt.Fprintf(a.stdout, "%s answers: %s (%d tokens in, %d out)\n", model, terminal.CleanLine(strings.TrimSpace(answer.Text)), usage.Input, usage.Output)
	return nil
}

func (a *app) providerModelsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models of all services with what they can do",
		Long: `List the models of all services with what they can do: take tools, see images, think,
and how many tokens their context has. A service that fails is named with the reason,
and hides no other; the exit code is 1 if none answers.`,
		Args: cmdline.Want(),
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.listModels(cmd.Context(), asJSON) }),
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) listModels(ctx context.Context, asJSON bool) error {
	found, err := a.foundProviders()
	if err != nil {
		return fmt.Errorf("list models: %w", err)
	}
	if len(found) == 0 {
		return errors.New("there is no service of language models: set a key such as OPENAI_API_KEY, or see `quire provider add --help`")
	}
	var opened []assist.Provider
	for _, f := range found {
		opened = append(opened, providers.Open(f))
	}
	listing, err := catalogue.New(catalogue.Config{Providers: opened}).List(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		err = namedfile.WriteJSON(a.stdout, listing)
	} else {
		err = a.writeModels(listing)
	}
	if err == nil && len(listing.Failures) == len(opened) {
		return errors.New("no service has listed its models")
	}
	return err
}

// writeModels writes a listing for people.
func (a *app) writeModels(l catalogue.Listing) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, m := range l.Models {
		size := ""
		if m.Context > 0 {
			size = strconv.Itoa(m.Context) + " tokens"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.Provider, terminal.CleanLine(m.Name), abilities(m.Can), size, terminal.CleanLine(m.Unusable))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range l.Failures {
		text, err := f.MarshalText()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "quire: %s\n", terminal.CleanLine(string(text)))
	}
	return nil
}

func abilities(can assist.Ability) string {
	var words []string
	for _, ability := range []struct {
		word string
		has  bool
	}{{"tools", can.Tools}, {"images", can.Vision}, {"thinking", can.Thinking}} {
		if ability.has {
			words = append(words, ability.word)
		}
	}
	return strings.Join(words, ", ")
}

func (a *app) providerPullCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pull NAME MODEL",
		Short: "Have a server of Ollama load a model from its library",
		Args:  cmdline.Want("NAME", "MODEL"),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if err := a.pullModel(cmd.Context(), args[0], args[1]); err != nil {
				return fmt.Errorf("pull model: %w", err)
			}
			return nil
		}),
	}
}

// pullModel prints what the server does, a line for each of its steps.
func (a *app) pullModel(ctx context.Context, name, model string) error {
	f, err := a.foundProvider(name)
	if err != nil {
		return err
	}
	server, err := providers.Ollama(f)
	if err != nil {
		return err
	}
	last := ""
	for progress, err := range server.Pull(ctx, model) {
		if err != nil {
			return err
		}
		line := terminal.CleanLine(progress.Status)
		if progress.Total > 0 {
			line += fmt.Sprintf(", %d%% of %s", 100*progress.Completed/progress.Total, bytesize.About(progress.Total))
		}
		if line != last {
			fmt.Fprintln(a.stderr, line)
		}
		last = line
	}
	return nil
}

// storedProviders returns the providers of the data directory.
func (a *app) storedProviders() datadir.Providers { return datadir.Providers{Dir: a.config.Data} }

// foundProviders returns the providers of this machine.
func (a *app) foundProviders() ([]providers.Found, error) {
	stored, err := a.storedProviders().List()
	if err != nil {
		return nil, err
	}
	return providers.Find(stored, a.variable), nil
}

// foundProvider returns a provider by its name.
func (a *app) foundProvider(name string) (providers.Found, error) {
	all, err := a.foundProviders()
	if err != nil {
		return providers.Found{}, err
	}
	i := slices.IndexFunc(all, func(f providers.Found) bool { return f.Name == name })
	if i < 0 {
		return providers.Found{}, fmt.Errorf("there is no provider %q: `quire provider ls` lists them", name)
	}
	return all[i], nil
}

// variable returns a variable of the environment, empty if it is not set. The last one of a name counts.
func (a *app) variable(name string) string {
	for _, entry := range slices.Backward(a.environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
