package engines

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/embedded"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/python"
	"github.com/quirehq/quire/internal/script"
	"github.com/quirehq/quire/internal/sqlcell"
	"github.com/quirehq/quire/internal/wasi"
)

// Source says where an engine comes from.
type Source string

// The sources of engines.
const (
	BuiltIn     Source = "built in"
	Interpreter Source = "interpreter" // an installed program, with a driver of ours
	Kernel      Source = "kernel"      // of Jupyter
	Sandboxed   Source = "sandboxed"   // in a process of this binary: its programs have no files and no network
)

// Offer is an engine that this machine has, or could have, for a language.
type Offer struct {
	Name     string // by which users choose it
	Language string
	Display  string // for people
	Source   Source
	Aliases  []string // other names of a language that is not in the table of languages, in lower case
	// Extensions are those of the files of such a language.
	Extensions []string
	Place      string // of its program or kernelspec
	Interrupt  string // by signal or message
	Fault      error  // the reason why it cannot be used, with the remedy; nil if it can

	// open makes the engine, for programs that start in a folder and have limits.
	open func(f *Factory, dir string, l limits) (lang.Engine, error)
}

// Offers are the engines of a machine: those of a language in the order of preference.
type Offers []Offer

// Offers lists the engines: those of the settings, the built-in Python and SQL, installed interpreters, the kernels of Jupyter,
// and then those that need nothing installed.
func (f *Factory) Offers() Offers {
	list := append(f.describedOffers(), pythonOffer(), sqlOffer(), duckDBOffer())
	for _, l := range script.Languages() {
		list = append(list, f.interpreterOffer(l))
	}
	for _, k := range f.kernels() {
		list = append(list, kernelOffer(k))
	}
	for _, b := range wasi.Builds() {
		list = append(list, f.sandboxedOffer(b))
	}
	for _, language := range embedded.Languages() {
		list = append(list, embeddedOffer(language))
	}
	return list
}

// kernels looks for the kernels of Jupyter that are installed.
func (f *Factory) kernels() []jupyter.Kernel {
	return jupyter.Search{Env: f.Environ, Python: f.Config.Python}.List()
}

// The built-in Python, and its names on a command line. A Jupyter file that asks for python3 gets it, too: it starts in no
// time. A kernel of Jupyter for Python is used where a user asks for it.
const (
	PythonLanguage = names.Python
	pythonName     = "python"
	python3Name    = "python3" // means the kernel of that name if it is installed
)

func pythonOffer() Offer {
	return Offer{
		Name: pythonName, Language: PythonLanguage, Display: "Python", Source: BuiltIn, Place: string(BuiltIn), Interrupt: "signal",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			return python.New(python.Config{
				Python: f.Config.Python, Dir: dir, Env: f.env.environ(f.Environ),
				Limits: f.env.bounds(l.ofProcess()), Start: f.env.starter(),
			})
		},
	}
}

// sqlOffer is the engine of SQL cells. It executes in this process, outside of any sandbox: where programs have one, it is
// restricted as they are.
func sqlOffer() Offer {
	return Offer{
		Name: names.SQL, Language: names.SQL, Display: "SQL", Source: BuiltIn, Place: string(BuiltIn), Interrupt: "message",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) { return f.openSQL(dir, l, false) },
	}
}

// duckDBOffer is the engine of SQL cells with DuckDB in place of SQLite, for programs that are built with it.
func duckDBOffer() Offer {
	return Offer{
		Name: "duckdb", Language: names.SQL, Display: "DuckDB", Source: BuiltIn, Place: string(BuiltIn), Interrupt: "message", Fault: sqlcell.LacksDuckDB(),
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) { return f.openSQL(dir, l, true) },
	}
}

func (f *Factory) openSQL(dir string, l limits, duckDB bool) (lang.Engine, error) {
	memory := int64(sqlcell.DefaultMemory) // a part of what this process may have
	if l.Memory > 0 {
		memory = min(memory, l.Memory)
	}
	if dir == "" && f.env != nil {
		dir = f.env.folder
	}
	if err := f.Own.AllowMore("SQL", memory); err != nil {
		return nil, err
	}
	return sqlcell.New(sqlcell.Config{Dir: dir, Memory: memory, Restricted: f.env.isSandbox(), Connection: f.Connection, DuckDB: duckDB})
}

func (f *Factory) interpreterOffer(of script.Language) Offer {
	offer := Offer{
		Name: of.Name, Language: of.Info.Language, Source: Interpreter, Interrupt: "signal",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			return of.Engine(script.Config{
				Dir: dir, Env: f.env.environ(f.Environ), Limits: f.env.bounds(l.ofProcess()), Start: f.env.starter(),
				Translate: translations()[of.Info.Language],
			})
		},
	}
	if l, ok := names.Find(of.Info.Language); ok {
		offer.Display = l.Title
	}
	offer.Place, offer.Fault = of.Locate(f.Environ)
	return offer
}

// ownHeap is the part of a limit of memory that a process of this binary keeps for itself.
const ownHeap = 48 << 20

// embeddedOffer is the engine of a language in this binary, which executes it in another process.
func embeddedOffer(language string) Offer {
	offer := Offer{
		Name: language + "-embedded", Language: language, Source: Sandboxed, Place: string(BuiltIn), Interrupt: "message",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			program, err := os.Executable()
			if err != nil {
				return nil, fmt.Errorf("find the program of the engine of %s: %w", language, err)
			}
			command := []string{program, embedded.Command, language}
			if l.Memory > 0 {
				command = append(command, "--"+embedded.MemoryFlag, strconv.FormatInt(max(l.Memory-ownHeap, l.Memory/2), 10))
			}
			return script.New(script.Config{
				Info: lang.Info{Language: language}, Command: command, Pipes: script.Descriptors,
				Dir: dir, Env: []string{}, Limits: f.env.ownBounds(l.ofProcess()), Start: f.env.ownStarter(),
			})
		},
	}
	if l, ok := names.Find(language); ok {
		offer.Display = l.Title
	}
	return offer
}

func kernelOffer(k jupyter.Kernel) Offer {
	offer := Offer{
		Name: k.Name, Language: k.Language, Display: k.Display, Source: Kernel, Place: k.Dir, Interrupt: "signal", Fault: k.Fault,
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			return jupyter.New(jupyter.Config{
				Kernel: k, Dir: dir, Env: f.env.environ(f.Environ),
				Limits: f.env.bounds(l.ofProcess()), Start: f.env.starter(), Offline: f.env.isOffline(),
			})
		},
	}
	if k.ByMessage {
		offer.Interrupt = "message"
	}
	return offer
}

// Named returns an engine by its name, in whatever case. One of the settings counts first, and a kernel before an interpreter
// of its name, since files name kernels.
func (list Offers) Named(name string) (o Offer, ok bool) {
	has := func(o Offer) bool { return strings.EqualFold(o.Name, name) }
	for _, source := range []Source{Described, Kernel} {
		if i := slices.IndexFunc(list, func(o Offer) bool { return o.Source == source && has(o) }); i >= 0 {
			return list[i], true
		}
	}
	if i := slices.IndexFunc(list, has); i >= 0 {
		return list[i], true
	}
	if strings.ToLower(name) == python3Name {
		return list.Named(pythonName)
	}
	return o, false
}

// Check refuses the name of an engine that cannot be used.
func (list Offers) Check(name string) error {
	if o, ok := list.Named(name); !ok || o.Fault != nil {
		return list.lacks(name)
	}
	return nil
}

// lacks returns the error for an engine that cannot be used, with those that can.
func (list Offers) lacks(name string) error {
	if o, ok := list.Named(name); ok {
		return terminal.Fail(terminal.Usage, "the %s %q cannot be used: %w", cmp.Or(o.noun(), "kernel"), name, o.Fault)
	}
	return terminal.Fail(terminal.Usage, "there is no kernel %q: there is %s; `quire engines` lists them", name, list.names())
}

// noun returns the word for the engine in sentences.
func (o *Offer) noun() string {
	if o.Source == Kernel {
		return "kernel"
	}
	return "engine"
}

// names lists the engines that can be used, for a user who has asked for another.
func (list Offers) names() string {
	var usable []string
	for _, o := range list {
		switch {
		case o.Fault != nil:
		case o.Source == BuiltIn:
			usable = append(usable, o.Name+" (built in)")
		default:
			usable = append(usable, o.Name)
		}
	}
	return strings.Join(usable, ", ")
}

// of returns the engine that a language has where none was chosen.
func (list Offers) of(language string) (o Offer, ok bool) {
	i := slices.IndexFunc(list, func(o Offer) bool { return o.Language == language && o.Fault == nil })
	if i < 0 {
		return o, false
	}
	return list[i], true
}

// ID returns the id of a language by any of its names.
func (list Offers) ID(language string) string {
	id := names.ID(language)
	if i := slices.IndexFunc(list, func(o Offer) bool { return slices.Contains(o.Aliases, id) }); i >= 0 {
		return list[i].Language
	}
	return id
}

// OfExtension returns the language of a file's extension, and whether there is one.
func (list Offers) OfExtension(extension string) (language string, ok bool) {
	i := slices.IndexFunc(list, func(o Offer) bool {
		return slices.ContainsFunc(o.Extensions, func(e string) bool { return strings.EqualFold(e, extension) })
	})
	if i >= 0 {
		return list[i].Language, true
	}
	l, ok := names.OfExtension(extension)
	return l.ID, ok
}

// Row is an engine as it is listed.
type Row struct {
	Name       string   `json:"name"`
	Language   string   `json:"language"`
	Display    string   `json:"display"`
	Aliases    []string `json:"aliases,omitempty"`    // of the language
	Extensions []string `json:"extensions,omitempty"` // of the files of programs, the usual one first
	Source     Source   `json:"source"`
	Place      string   `json:"place"`
	Interrupt  string   `json:"interrupt,omitempty"` // by signal or message
	Default    bool     `json:"default"`             // it executes its language where a notebook chooses none
	Fault      string   `json:"fault,omitempty"`     // why it cannot be used
}

// Rows lists the engines for users.
func (list Offers) Rows() []Row {
	rows := make([]Row, len(list))
	for i, o := range list {
		first, ok := list.of(o.Language)
		rows[i] = Row{
			Name: o.Name, Language: o.Language, Display: o.Display, Source: o.Source, Place: o.Place, Interrupt: o.Interrupt,
			Default: ok && o.Fault == nil && first.Name == o.Name && first.Source == o.Source,
			Aliases: o.Aliases, Extensions: o.Extensions,
		}
		if l, ok := names.Find(o.Language); ok {
			rows[i].Aliases, rows[i].Extensions = l.Aliases, l.Extensions
		}
		if o.Fault != nil {
			rows[i].Fault, rows[i].Interrupt = o.Fault.Error(), ""
		}
	}
	return rows
}
