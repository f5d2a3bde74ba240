package engines

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
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
func (list Offers) Choosing(m Metadata, name string) ([]event.Payload, error) {
	set, err := m.choosing(name)
	if err != nil || list.Check(name) != nil {
		return []event.Payload{set}, err
	}
	c := list.python()
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

// Choice has the engines that execute a notebook.
type Choice struct {
	Language  string  // of cells that name none
	first     []Offer // each before all others of its language
	made      string  // the kernel in first that the file names: it executes language
	missing   error   // the reason why the chosen engine cannot be used, or nil
	installed Offers
}

// For chooses the engine of one language, that of a name if there is one, and refuses a language without.
func (list Offers) For(language, name string) (Choice, error) {
	c := Choice{Language: language, installed: list}
	if name == "" {
		if _, ok := list.of(language); !ok {
			return c, list.without(language)
		}
		return c, nil
	}
	if err := list.Check(name); err != nil {
		return c, err
	}
	c.prefer(name, true)
	if chosen, _ := list.Named(name); chosen.Language != language {
		return c, terminal.Fail(terminal.Usage, "the engine %q executes %s, and the code is in %s", name, chosen.Language, language)
	}
	return c, nil
}

// without returns the error for a language that has no engine here, with the way to one.
func (list Offers) without(language string) error {
	i := slices.IndexFunc(list, func(o Offer) bool { return o.Language == language })
	if i < 0 {
		return terminal.Fail(terminal.Usage, "%s cannot run here: there is %s; `quire engines` lists them", language, list.names())
	}
	return terminal.Fail(terminal.Usage, "%s cannot run here: %w", language, list[i].Fault)
}

// python is the choice of a notebook that asks for nothing.
func (list Offers) python() Choice { return Choice{Language: PythonLanguage, installed: list} }

// Choose chooses the kernels of a notebook: the one that a user has chosen for it,
// else the one that its file was made with, unless that is of Python, else any of its
// language. The file's kernel executes the notebook's language even where its own
// description has another name for it, as that of SageMath, whose sources are Python.
// Other is a kernel that counts for its language where the notebook says
// nothing, and in a notebook that says nothing at all.
func (list Offers) Choose(m Metadata, other string) Choice {
	spec := m.spec()
	c := Choice{Language: m.language(), installed: list}
	k, ok := list.Named(spec.Name)
	switch name := m.asked(); {
	case name != "":
		c.prefer(name, true)
	case ok && k.Fault == nil && k.Language != PythonLanguage:
		c.first, c.made = append(c.first, k), k.Name
	case spec.Language != "" && spec.Language != PythonLanguage && spec.Language != c.Language:
		c.missing = list.lacks(spec.Name)
	}
	if other != "" {
		says := m.asked() != "" || m["kernelspec"] != nil || m["language_info"] != nil
		c.prefer(other, !says)
	}
	return c
}

// prefer puts an engine behind those that count already. With lead its language becomes
// that of the notebook.
func (c *Choice) prefer(name string, lead bool) {
	k, ok := c.installed.Named(name)
	switch {
	case ok && k.Source == BuiltIn: // it is the first of its language
	case ok && k.Fault == nil:
		c.first = append(c.first, k)
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
func (c *Choice) executes(k Offer) string {
	if k.Name == c.made {
		return c.Language
	}
	return k.Language
}

// Use chooses the kernels of the notebook of a file, and returns the events that set the
// chosen kernel in its metadata: none unless a kernel was asked for.
func (list Offers) Use(m Metadata, asked string) (Choice, []event.Payload, error) {
	if asked == "" {
		c := list.Choose(m, "")
		return c, nil, c.refuse(m.spec())
	}
	if err := list.Check(asked); err != nil {
		return Choice{}, nil, err
	}
	c := list.python()
	c.prefer(asked, true)
	set, err := c.say(m)
	return c, set, err
}

// say returns the events that set the first chosen kernel in the metadata for other programs:
// none if it is set.
func (c *Choice) say(m Metadata) ([]event.Payload, error) {
	spec := pythonSpec
	if len(c.first) > 0 {
		spec = c.first[0].kernelspec()
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
	if c.missing != nil {
		return c.missing
	}
	if _, ok := c.installed.of(c.Language); ok || c.made != "" {
		return nil
	}
	return terminal.Fail(terminal.Usage, "it asks for the kernel %q, and there is only %s; --kernel %s uses that instead",
		cmp.Or(spec.Name, c.Language), c.installed.names(), pythonName)
}

// Spec returns the kernelspec of a file for the engine that executes the notebook's language.
func (c *Choice) Spec() Kernelspec {
	for _, k := range c.first {
		if c.executes(k) == c.Language {
			return k.kernelspec()
		}
	}
	if o, ok := c.installed.of(c.Language); ok {
		return o.kernelspec()
	}
	return Kernelspec{Name: c.Language, Language: c.Language, Display: c.Language}
}

// kernelspec returns the kernelspec of a file for the engine. One that is not a kernel of Jupyter goes by the name of its
// language.
func (o *Offer) kernelspec() Kernelspec {
	switch o.Source {
	case BuiltIn:
		return pythonSpec
	case Kernel:
		return Kernelspec{Name: o.Name, Language: o.Language, Display: o.Display}
	}
	return Kernelspec{Name: o.Language, Language: o.Language, Display: o.Display}
}
