package plain

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// The keys of a notebook's metadata with a meaning here. A header that a file had
// lies under keyQuire.
const (
	keyKernel   = "kernelspec"
	keyInfoOf   = "language_info"
	keyHeader   = "header"   // its lines of YAML
	keyPreamble = "preamble" // the lines before it that name a program or an encoding
)

// header is what a file says before its first cell.
type header struct {
	preamble string // lines, without the last line's end
	yaml     string // likewise

	title    string
	kernel   kernel
	language string // as the metadata has it where no kernel says it
}

// kernel is what a Jupyter notebook says about what executes it.
type kernel struct {
	Display  string `json:"display_name,omitempty"`
	Language string `json:"language,omitempty"`
	Name     string `json:"name,omitempty"`
}

func headerOf(n *notebook.Notebook) header {
	m := metadata(n.Metadata())
	h := header{title: n.Title(), language: m.object(keyInfoOf).str("name")}
	_ = json.Unmarshal(m[keyKernel], &h.kernel) // what is none says nothing
	ours := m.object(keyQuire)
	h.preamble, h.yaml = ours.str(keyPreamble), ours.str(keyHeader)
	return h
}

// spoken returns the language of cells that name none.
func (h *header) spoken() string { return cmp.Or(h.said(), python) }

// said is spoken as far as the notebook says it.
func (h *header) said() string {
	return strings.ToLower(cmp.Or(h.kernel.Language, h.language))
}

// readHeader takes title, kernel and language out of lines of YAML.
func readHeader(preamble, yaml string) header {
	h := header{preamble: preamble, yaml: yaml}
	for path, value := range scalars(yaml) {
		switch path {
		case "title":
			if len(value) <= event.MaxTitle {
				h.title = value
			}
		case "jupyter.kernelspec.display_name":
			h.kernel.Display = value
		case "jupyter.kernelspec.language":
			h.kernel.Language = value
		case "jupyter.kernelspec.name":
			h.kernel.Name = value
		case "jupyter.language_info.name":
			h.language = value
		}
	}
	return h
}

// payloads returns the events that give an empty notebook the header.
func (h *header) payloads() []event.Payload {
	var list []event.Payload
	if h.title != "" {
		list = append(list, &event.NotebookTitled{Title: h.title})
	}
	if h.kernel != (kernel{}) {
		list = append(list, &event.NotebookMetadataSet{Key: keyKernel, Value: encode(h.kernel)})
	}
	if h.language != "" {
		list = append(list, &event.NotebookMetadataSet{Key: keyInfoOf, Value: encode(map[string]string{"name": h.language})})
	}
	ours := map[string]string{}
	if h.yaml != "" {
		ours[keyHeader] = h.yaml
	}
	if h.preamble != "" {
		ours[keyPreamble] = h.preamble
	}
	if len(ours) > 0 {
		list = append(list, &event.NotebookMetadataSet{Key: keyQuire, Value: encode(ours)})
	}
	return list
}

// text returns the lines of YAML to write: those that the file had, with what
// changed since in place of what they say. It is empty if there is nothing to say
// that a file in a language does not say by itself.
func (h *header) text(language, extension, format string) string {
	was := readHeader("", h.yaml)
	was.language = cmp.Or(was.language, language)
	if was.title == h.title && was.kernel == h.kernel && was.spoken() == h.spoken() {
		return h.yaml
	}
	var b strings.Builder
	if h.title != was.title {
		h.yaml = without(h.yaml, "title")
		if h.title != "" {
			b.WriteString("title: " + scalar(h.title) + "\n")
		}
	}
	if was.kernel == h.kernel && was.spoken() == h.spoken() {
		return strings.TrimRight(b.String()+h.yaml, "\n")
	}
	if h.yaml = without(h.yaml, "jupyter"); h.yaml != "" {
		b.WriteString(h.yaml + "\n")
	}
	b.WriteString("jupyter:\n  jupytext:\n    text_representation:\n")
	b.WriteString("      extension: " + extension + "\n      format_name: " + format)
	if h.kernel != (kernel{}) {
		b.WriteString("\n  kernelspec:")
		for _, field := range [][2]string{{"display_name", h.kernel.Display}, {"language", h.kernel.Language}, {"name", h.kernel.Name}} {
			if field[1] != "" {
				b.WriteString("\n    " + field[0] + ": " + scalar(field[1]))
			}
		}
	}
	if h.kernel.Language == "" {
		b.WriteString("\n  language_info:\n    name: " + scalar(cmp.Or(h.language, python)))
	}
	return b.String()
}
