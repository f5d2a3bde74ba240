package notebook

import (
	"encoding/json"
	"slices"
)

// The tags of cells that Jupyter's runners obey.
const (
	tagSkip    = "skip-execution"
	tagMayFail = "raises-exception"
)

// Tagged reports whether a cell has a tag, as notebooks of Jupyter have them.
func (c *Cell) Tagged(tag string) bool {
	var tags []string
	return json.Unmarshal(c.Metadata["tags"], &tags) == nil && slices.Contains(tags, tag)
}

// IsSkipped reports whether a cell does not run with all others, because of its tags. It
// can be run by name.
func (c *Cell) IsSkipped() bool { return c.Tagged(tagSkip) }

// MayFail reports whether an error of a cell stops nothing, because of its tags.
func (c *Cell) MayFail() bool { return c.Tagged(tagMayFail) }
