package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/internal/jupyter"
)

// The Python that is built in, and how a command line asks for it. A Jupyter file
// that asks for python3 gets it, too: it starts in no time. A kernel of Jupyter for
// Python is used where a person asks for that.
const (
	pythonLanguage = names.Python
	pythonName     = "python"
	python3Name    = "python3" // means the kernel of that name if it is installed
)

// pythonSpec is what a file says for the Python that is built in.
var pythonSpec = kernelspec{Name: python3Name, Language: pythonLanguage, Display: "Python 3"}

// kernelspec is what a Jupyter file says about what executes it.
type kernelspec struct {
	Name     string `json:"name"`
	Language string `json:"language,omitempty"`
	Display  string `json:"display_name"`
}

// keyQuire is the key of a notebook's metadata that is ours. The member "kernel" says
// which kernel a person has chosen for the notebook.
const keyQuire = "quire"

// metadata is what a notebook says of itself.
type metadata map[string]json.RawMessage

// spec returns the kernel that a Jupyter file was made with, with the kernel's own name
// for its language, which may not be that of the notebook; a damaged one counts as missing.
func (m metadata) spec() kernelspec {
	var k kernelspec
	_ = json.Unmarshal(m["kernelspec"], &k)
	k.Language = names.ID(k.Language)
	return k
}

// language returns the language of cells that name none.
func (m metadata) language() string { return notebook.Language(m) }

// asked returns the kernel that a person has chosen, empty if nobody has.
func (m metadata) asked() string {
	var own struct {
		Kernel string `json:"kernel"`
	}
	_ = json.Unmarshal(m[keyQuire], &own) // what is damaged says nothing
	return own.Kernel
}

// choosing returns what must be set so that a kernel executes a notebook from now on;
// the other members that are ours stay. A kernel that is here is also what the
// notebook says to other programs.
func (ks kernels) choosing(m metadata, name string) ([]event.Payload, error) {
	set, err := m.choosing(name)
	if err != nil || ks.check(name) != nil {
		return []event.Payload{set}, err
	}
	c := ks.python()
	c.prefer(name, true)
	said, err := c.say(m)
	return append(said, set), err
}

func (m metadata) choosing(name string) (event.Payload, error) {
	own := map[string]json.RawMessage{}
	_ = json.Unmarshal(m[keyQuire], &own) // what is damaged says nothing
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

// kernels are those that are installed on this machine.
type kernels []jupyter.Kernel

// kernels looks for the kernels that are installed.
func (a *app) kernels() kernels {
	return jupyter.Search{Env: withoutOurs(a.environ), Python: a.config.Python}.List()
}

// named returns a kernel by its name, in whatever case.
func (ks kernels) named(name string) (k jupyter.Kernel, ok bool) {
	i := slices.IndexFunc(ks, func(k jupyter.Kernel) bool { return k.Name == strings.ToLower(name) })
	if i < 0 {
		return k, false
	}
	return ks[i], true
}

// names lists what there is for a person who has asked for something else.
func (ks kernels) names() string {
	list := []string{pythonName + " (built in)"}
	for _, k := range ks {
		if k.Fault == nil {
			list = append(list, k.Name)
		}
	}
	return strings.Join(list, ", ")
}

// choice is what executes a notebook.
type choice struct {
	language  string           // of cells that name none
	first     []jupyter.Kernel // each before all others of its language
	made      string           // the kernel in first that the file names: it executes language
	missing   error            // why the language cannot be executed, if a person has chosen so
	installed kernels
}

// python is the choice of a notebook that asks for nothing.
func (ks kernels) python() choice { return choice{language: pythonLanguage, installed: ks} }

// choose decides what executes a notebook: the kernel that a person has chosen for it,
// else the one that its file was made with, unless that is of Python, else any of its
// language. The file's kernel executes the notebook's language even where its own
// description has another name for it, as that of SageMath, whose sources are Python.
// Other is a kernel that counts for its language where the notebook says
// nothing, and in a notebook that says nothing at all.
func (ks kernels) choose(m metadata, other string) choice {
	spec := m.spec()
	c := choice{language: m.language(), installed: ks}
	k, ok := ks.named(spec.Name)
	switch name := m.asked(); {
	case name != "":
		c.prefer(name, true)
	case ok && k.Fault == nil && k.Language != pythonLanguage:
		c.first, c.made = append(c.first, k), k.Name
	case spec.Language != "" && spec.Language != pythonLanguage && spec.Language != c.language:
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
func (c *choice) prefer(name string, lead bool) {
	k, ok := c.installed.named(name)
	switch {
	case ok && k.Fault == nil:
		c.first = append(c.first, k)
	case !ok && (name == pythonName || name == python3Name):
		k.Language = pythonLanguage
	case lead:
		c.missing = c.installed.lacks(name)
		return
	default:
		return
	}
	if lead {
		c.language = k.Language
	}
}

// executes returns the language that a kernel executes in the notebook.
func (c *choice) executes(k jupyter.Kernel) string {
	if k.Name == c.made {
		return c.language
	}
	return k.Language
}

// lacks says that there is no kernel of a name, and what there is.
func (ks kernels) lacks(name string) error {
	if k, ok := ks.named(name); ok {
		return fail(exitUsage, "the kernel %q cannot be used: %w", name, k.Fault)
	}
	return fail(exitUsage, "there is no kernel %q: there is %s; `quire kernels` lists them", name, ks.names())
}

// check refuses the name of a kernel that cannot be used.
func (ks kernels) check(name string) error {
	k, ok := ks.named(name)
	if ok && k.Fault == nil || !ok && (name == pythonName || name == python3Name) {
		return nil
	}
	return ks.lacks(name)
}

// useKernel decides what executes a notebook of a file, and returns what must be added
// to it so that it says so: nothing unless a kernel was asked for.
func (ks kernels) useKernel(m metadata, asked string) (choice, []event.Payload, error) {
	if asked == "" {
		c := ks.choose(m, "")
		return c, nil, c.refuse(m.spec())
	}
	if err := ks.check(asked); err != nil {
		return choice{}, nil, err
	}
	c := ks.python()
	c.prefer(asked, true)
	set, err := c.say(m)
	return c, set, err
}

// say returns what must be set so that a notebook says for other programs, too, that
// it is of the first kernel that was chosen: nothing if it does.
func (c *choice) say(m metadata) ([]event.Payload, error) {
	spec := pythonSpec
	if len(c.first) > 0 {
		spec = kernelspec{Name: c.first[0].Name, Language: c.first[0].Language, Display: c.first[0].Display}
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

// refuse says why a file cannot be executed here, nil if it can.
func (c *choice) refuse(spec kernelspec) error {
	has := func(k jupyter.Kernel) bool { return k.Language == c.language && k.Fault == nil }
	switch {
	case c.missing != nil:
		return c.missing
	case c.made != "" || c.language == pythonLanguage || slices.ContainsFunc(c.installed, has):
		return nil
	}
	return fail(exitUsage, "it asks for the kernel %q, and there is only %s; --kernel %s uses that instead",
		cmp.Or(spec.Name, c.language), c.installed.names(), pythonName)
}
