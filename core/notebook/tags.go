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

// Tagged reports whether a cell has a tag, in the form of Jupyter's notebooks.
func (c *Cell) Tagged(tag string) bool {
	var tags []string
	return json.Unmarshal(c.Metadata["tags"], &tags) == nil && slices.Contains(tags, tag)
}

// IsSkipped reports whether the cell's tags exclude it from running all cells. It can still be run by name.
func (c *Cell) IsSkipped() bool { return c.Tagged(tagSkip) }

// MayFail reports whether the cell's tags say that its error stops no other run.
func (c *Cell) MayFail() bool { return c.Tagged(tagMayFail) }
