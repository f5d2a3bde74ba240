package notebook

import (
	"cmp"
	"encoding/json"
	"strings"
)

// DefaultLanguage is the language of a notebook whose metadata names none.
const DefaultLanguage = "python"

// Language returns the language of cells that name none, from a notebook's metadata: that of language_info, which is
// the language of the sources, else that of kernelspec, which is a kernel's own name for what it executes.
func Language(metadata map[string]json.RawMessage) string {
	var info struct {
		Name string `json:"name"`
	}
	var spec struct {
		Language string `json:"language"`
	}
	// Damaged values count as missing.
	_ = json.Unmarshal(metadata["language_info"], &info)
	_ = json.Unmarshal(metadata["kernelspec"], &spec)
	return strings.ToLower(cmp.Or(info.Name, spec.Language, DefaultLanguage))
}
