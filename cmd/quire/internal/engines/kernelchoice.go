package engines

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/jupyter"
)

// The built-in Python, and its names on a command line. A Jupyter file that asks for
// python3 gets it, too: it starts in no time. A kernel of Jupyter for Python is used
// where a user asks for it.
const (
	PythonLanguage = names.Python
	pythonName     = "python"
	python3Name    = "python3" // means the kernel of that name if it is installed
)

// pythonSpec is the kernelspec of a file for the built-in Python.
var pythonSpec = Kernelspec{Name: python3Name, Language: PythonLanguage, Display: "Python 3"}

// Kernelspec is the kernel of a Jupyter file, as its metadata has it.
type Kernelspec struct {
	Name     string `json:"name"`
	Language string `json:"language,omitempty"`
	Display  string `json:"display_name"`
}

// keyQuire is the key of Quire in the metadata of a notebook. Its member "kernel" is the kernel
// that a user has chosen for the notebook.
const keyQuire = "quire"

// Metadata is the metadata of a notebook.
type Metadata map[string]json.RawMessage

// spec returns the kernel that a Jupyter file was made with, with the kernel's own name
// for its language, which may not be that of the notebook; a damaged one counts as missing.
func (m Metadata) spec() Kernelspec {
	var k Kernelspec
	_ = json.Unmarshal(m["kernelspec"], &k)
	k.Language = names.ID(k.Language)
	return k
}

// language returns the language of cells that name none.
func (m Metadata) language() string { return notebook.Language(m) }

// asked returns the kernel that a user has chosen, empty if none has.
func (m Metadata) asked() string {
	var own struct {
		Kernel string `json:"kernel"`
	}
	_ = json.Unmarshal(m[keyQuire], &own) // damaged metadata counts as missing
	return own.Kernel
}

// Choosing returns the events by which a kernel executes a notebook from now on; the other
// members of Quire's metadata stay. An installed kernel is also set for other programs.
func (ks Kernels) Choosing(m Metadata, name string) ([]event.Payload, error) {
	set, err := m.choosing(name)
	if err != nil || ks.Check(name) != nil {
		return []event.Payload{set}, err
	}
	c := ks.python()
	c.prefer(name, true)
	said, err := c.say(m)
	return append(said, set), err
}

func (m Metadata) choosing(name string) (event.Payload, error) {
	own := map[string]json.RawMessage{}
	_ = json.Unmarshal(m[keyQuire], &own) // damaged metadata counts as missing
	kernel, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	if own == nil { // it was null
		own = map[string]json.RawMessage{}
	}
	own["kernel"] = kernel
	value, err := json.Marshal(own)
	return &event.NotebookMetadataSet{Key: keyQuire, Value: value}, err
}

// Kernels are those that are installed on this machine.
type Kernels []jupyter.Kernel

// Kernels looks for the kernels that are installed.
func (f *Factory) Kernels() Kernels {
	return jupyter.Search{Env: f.Environ, Python: f.Config.Python}.List()
}

// Named returns a kernel by its name, in whatever case.
func (ks Kernels) Named(name string) (k jupyter.Kernel, ok bool) {
	i := slices.IndexFunc(ks, func(k jupyter.Kernel) bool { return k.Name == strings.ToLower(name) })
	if i < 0 {
		return k, false
	}
	return ks[i], true
}

// names lists the kernels for a user who has asked for another.
func (ks Kernels) names() string {
	list := []string{pythonName + " (built in)"}
	for _, k := range ks {
		if k.Fault == nil {
			list = append(list, k.Name)
		}
	}
	return strings.Join(list, ", ")
}

// Choice has the kernels that execute a notebook.
type Choice struct {
	Language  string           // of cells that name none
	first     []jupyter.Kernel // each before all others of its language
	made      string           // the kernel in first that the file names: it executes language
	missing   error            // the reason why the chosen kernel cannot be used, or nil
	installed Kernels
}

// For chooses the engine of one language, that of a name if there is one, and refuses a language without.
func (ks Kernels) For(language, name string) (Choice, error) {
	c := Choice{Language: language, installed: ks}
	if name != "" {
		if err := ks.Check(name); err != nil {
			return c, err
		}
		c.prefer(name, true)
		c.Language = language
	}
	return c, c.refuse(Kernelspec{Language: language})
}

// python is the choice of a notebook that asks for nothing.
func (ks Kernels) python() Choice { return Choice{Language: PythonLanguage, installed: ks} }

// Choose chooses the kernels of a notebook: the one that a user has chosen for it,
// else the one that its file was made with, unless that is of Python, else any of its
// language. The file's kernel executes the notebook's language even where its own
// description has another name for it, as that of SageMath, whose sources are Python.
// Other is a kernel that counts for its language where the notebook says
// nothing, and in a notebook that says nothing at all.
func (ks Kernels) Choose(m Metadata, other string) Choice {
	spec := m.spec()
	c := Choice{Language: m.language(), installed: ks}
	k, ok := ks.Named(spec.Name)
	switch name := m.asked(); {
	case name != "":
		c.prefer(name, true)
	case ok && k.Fault == nil && k.Language != PythonLanguage:
		c.first, c.made = append(c.first, k), k.Name
	case spec.Language != "" && spec.Language != PythonLanguage && spec.Language != c.Language:
		c.missing = ks.lacks(spec.Name)
	}
	if other != "" {
		says := m.asked() != "" || m["kernelspec"] != nil || m["language_info"] != nil
		c.prefer(other, !says)
	}
	return c
}

// prefer puts a kernel behind those that count already. With lead its language becomes
// that of the notebook.
func (c *Choice) prefer(name string, lead bool) {
	k, ok := c.installed.Named(name)
	switch {
	case ok && k.Fault == nil:
		c.first = append(c.first, k)
	case !ok && (name == pythonName || name == python3Name):
		k.Language = PythonLanguage
	case lead:
		c.missing = c.installed.lacks(name)
		return
	default:
		return
	}
	if lead {
		c.Language = k.Language
	}
}

// executes returns the language that a kernel executes in the notebook.
func (c *Choice) executes(k jupyter.Kernel) string {
	if k.Name == c.made {
		return c.Language
	}
	return k.Language
}

// lacks returns the error for a kernel that does not exist, with those that do.
func (ks Kernels) lacks(name string) error {
	if k, ok := ks.Named(name); ok {
		return terminal.Fail(terminal.Usage, "the kernel %q cannot be used: %w", name, k.Fault)
	}
	return terminal.Fail(terminal.Usage, "there is no kernel %q: there is %s; `quire kernels` lists them", name, ks.names())
}

// Check refuses the name of a kernel that cannot be used.
func (ks Kernels) Check(name string) error {
	k, ok := ks.Named(name)
	if ok && k.Fault == nil || !ok && (name == pythonName || name == python3Name) {
		return nil
	}
	return ks.lacks(name)
}

// Use chooses the kernels of the notebook of a file, and returns the events that set the
// chosen kernel in its metadata: none unless a kernel was asked for.
func (ks Kernels) Use(m Metadata, asked string) (Choice, []event.Payload, error) {
	if asked == "" {
		c := ks.Choose(m, "")
		return c, nil, c.refuse(m.spec())
	}
	if err := ks.Check(asked); err != nil {
		return Choice{}, nil, err
	}
	c := ks.python()
	c.prefer(asked, true)
	set, err := c.say(m)
	return c, set, err
}

// say returns the events that set the first chosen kernel in the metadata for other programs:
// none if it is set.
func (c *Choice) say(m Metadata) ([]event.Payload, error) {
	spec := pythonSpec
	if len(c.first) > 0 {
		spec = Kernelspec{Name: c.first[0].Name, Language: c.first[0].Language, Display: c.first[0].Display}
	}
	if m.spec().Name == spec.Name && m.language() == spec.Language {
		return nil, nil
	}
	said, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(map[string]string{"name": spec.Language})
	return []event.Payload{
		&event.NotebookMetadataSet{Key: "kernelspec", Value: said},
		&event.NotebookMetadataSet{Key: "language_info", Value: info},
	}, err
}

// refuse returns the reason why a file cannot be executed here, nil if it can.
func (c *Choice) refuse(spec Kernelspec) error {
	has := func(k jupyter.Kernel) bool { return k.Language == c.Language && k.Fault == nil }
	switch {
	case c.missing != nil:
		return c.missing
	case c.made != "" || c.Language == PythonLanguage || slices.ContainsFunc(c.installed, has):
		return nil
	}
	return terminal.Fail(terminal.Usage, "it asks for the kernel %q, and there is only %s; --kernel %s uses that instead",
		cmp.Or(spec.Name, c.Language), c.installed.names(), pythonName)
}

// Spec returns the kernelspec of a file for the kernel that executes the notebook's language.
func (c *Choice) Spec() Kernelspec {
	for _, k := range c.first {
		if c.executes(k) == c.Language {
			return Kernelspec{Name: k.Name, Language: k.Language, Display: k.Display}
		}
	}
	if c.Language == PythonLanguage {
		return pythonSpec
	}
	for _, k := range c.installed {
		if k.Language == c.Language && k.Fault == nil {
			return Kernelspec{Name: k.Name, Language: k.Language, Display: k.Display}
		}
	}
	return Kernelspec{Name: c.Language, Language: c.Language, Display: c.Language}
}

// Row is a kernel as it is listed.
type Row struct {
	Name      string `json:"name"`
	Language  string `json:"language"`
	Display   string `json:"display"`
	Place     string `json:"place"`
	Interrupt string `json:"interrupt,omitempty"` // by signal or message
	Fault     string `json:"fault,omitempty"`     // why it cannot be used
}

// Rows lists the built-in Python and the kernels for users.
func (ks Kernels) Rows() []Row {
	rows := []Row{{Name: pythonName, Language: PythonLanguage, Display: "Python", Place: "built in", Interrupt: "signal"}}
	for _, k := range ks {
		row := Row{Name: k.Name, Language: k.Language, Display: k.Display, Place: k.Dir, Interrupt: "signal"}
		if k.ByMessage {
			row.Interrupt = "message"
		}
		if k.Fault != nil {
			row.Fault, row.Interrupt = k.Fault.Error(), ""
		}
		rows = append(rows, row)
	}
	return rows
}
