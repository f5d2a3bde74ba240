package notebook

import (
	"cmp"
	"encoding/json"

	"github.com/quirehq/quire/core/lang/names"
)

// DefaultLanguage is the language of a notebook whose metadata names none.
const DefaultLanguage = names.Python

// Language returns the language of cells that name none, from a notebook's metadata: that of language_info, which is
// the language of the sources, else that of kernelspec, which is the kernel's own name of its language. A language of
// the table has its id there.
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
	return names.ID(cmp.Or(info.Name, spec.Language, DefaultLanguage))
}
