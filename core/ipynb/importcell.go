package ipynb

import (
	"github.com/quirehq/quire/core/event"
)

// cell is a cell in its form in a file of nbformat 4.
type cell struct {
	at          string // its place in the file
	id          string // the one of the file, empty if it is not a string
	cellType    string
	source      string
	metadata    object
	attachments object // nil if it has none
	outputs     []event.Output
	count       int
	zero        bool   // the count is 0, and not null
	keys        object // keys that the format does not know
}

func readCells(nodes []node) ([]cell, error) {
	cells := make([]cell, len(nodes))
	for i, n := range nodes {
		if err := cells[i].read(n); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

func (c *cell) read(n node) (err error) {
	c.at = n.at
	c.id, _ = n.m["id"].(string)
	if c.cellType, err = n.need("cell_type"); err != nil {
		return err
	}
	if c.source, err = n.text("source"); err != nil {
		return err
	}
	metadata, err := n.object("metadata")
	if err != nil {
		return err
	}
	c.metadata = metadata.m
	delete(c.metadata, "trusted") // the reader decides what may run, not the file
	switch c.cellType {
	case typeCode:
		c.keys = n.rest("id", "cell_type", "source", "metadata", "outputs", "execution_count")
		return c.readRun(n)
	case typeMarkdown, typeRaw:
		c.keys = n.rest("id", "cell_type", "source", "metadata", "attachments")
		return c.readAttachments(n)
	}
	c.keys = n.rest("id", "cell_type", "source", "metadata")
	return nil
}

// readRun reads the count and outputs of a code cell.
func (c *cell) readRun(n node) (err error) {
	if c.count, err = n.count("execution_count"); err != nil {
		return err
	}
	c.zero = c.count == 0 && n.m["execution_count"] != nil
	outputs, err := n.nodes("outputs")
	if err != nil {
		return err
	}
	for _, o := range outputs {
		v, err := readOutput(o)
		if err != nil {
			return err
		}
		c.outputs = append(c.outputs, v)
	}
	return nil
}

func (c *cell) readAttachments(n node) error {
	if n.m["attachments"] == nil {
		return nil
	}
	files, err := n.object("attachments")
	if err != nil {
		return err
	}
	c.attachments = make(object, len(files.m))
	for name := range files.m {
		bundle, err := files.bundle(name)
		if err != nil {
			return err
		}
		c.attachments[name] = bundle
	}
	return nil
}

func knownType(cellType string) bool {
	return cellType == typeCode || cellType == typeMarkdown || cellType == typeRaw
}
