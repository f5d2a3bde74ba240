package ipynb

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/quirehq/quire/core/event"
)

// cell is a cell as it is in a file of nbformat 4.
type cell struct {
	at          string // its place in the file
	id          string // as the file has it, empty if that is no string
	cellType    string
	source      string
	metadata    object
	attachments object // nil if it has none
	outputs     []event.Output
	count       int
	zero        bool   // the count is 0, and not null
	keys        object // that the format does not know
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
	delete(c.metadata, "trusted") // what may run is for the reader to decide, not for the file
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

// readRun reads what came of running a code cell.
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

// assignIDs returns the ids of the cells. The first cell with an id keeps it, if
// it is one. The others get an id from what they hold, so that two imports of a
// file agree, and a cell keeps its id when others come and go around it.
func assignIDs(cells []cell) []event.CellID {
	ids := make([]event.CellID, len(cells))
	used := make(map[event.CellID]bool, len(cells))
	for i := range cells {
		id := event.CellID(cells[i].id)
		if !used[id] && event.CheckName("id", cells[i].id) == nil {
			ids[i], used[id] = id, true
		}
	}
	copies := make(map[[sha256.Size]byte]int)
	for i := range cells {
		if ids[i] == "" {
			ids[i] = newID(&cells[i], used, copies)
			used[ids[i]] = true
		}
	}
	return ids
}

// newID returns an id that is not used. Equal cells get the ids of the first,
// second and later copy.
func newID(c *cell, used map[event.CellID]bool, copies map[[sha256.Size]byte]int) event.CellID {
	content := sha256.Sum256([]byte(c.cellType + "\x00" + c.source))
	for {
		copies[content]++
		sum := sha256.Sum256(strconv.AppendInt(content[:], int64(copies[content]), 10))
		id := event.CellID(hex.EncodeToString(sum[:4]))
		if !used[id] {
			return id
		}
	}
}
