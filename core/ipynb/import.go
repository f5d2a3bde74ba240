package ipynb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
)

// Import reads a Jupyter notebook of nbformat 3 to 4.5 as events for an empty
// notebook: the notebook's title and metadata, then each cell with its visibility,
// metadata and outputs. Two imports of one file give equal events.
//
// A damaged file gives an error that begins with the place of the damage, such as cells[3].outputs[0], and no events.
func Import(data []byte) ([]event.Payload, error) {
	root, err := decodeFile(data)
	if err != nil {
		return nil, err
	}
	f, err := readFile(root)
	if err != nil {
		return nil, err
	}
	var imp importer
	imp.notebook(f)
	ids := assignIDs(f.cells)
	for i := range f.cells {
		if err := imp.cell(ids[i], &f.cells[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", f.cells[i].at, err)
		}
	}
	return imp.payloads, nil
}

// file is a notebook in its form in a file of any format.
type file struct {
	minor    int // of nbformat 4, at least 5
	metadata object
	keys     object // keys that the format does not know
	cells    []cell
}

func readFile(root node) (*file, error) {
	version, err := readVersion(root)
	if err != nil {
		return nil, err
	}
	metadata, err := root.object("metadata")
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(metadata.m, func(key string, _ any) bool { return transient(key) })
	f := &file{minor: minor, metadata: metadata.m}
	var cells []node
	if version < major {
		upgradeRoot(f.metadata)
		f.keys = root.rest("metadata", "nbformat", "nbformat_minor", "worksheets", "orig_nbformat", "orig_nbformat_minor")
		cells, err = upgrade(root)
	} else {
		f.minor, err = root.count("nbformat_minor")
		if err != nil {
			return nil, err
		}
		f.keys = root.rest("metadata", "nbformat", "nbformat_minor", "cells")
		cells, err = root.nodes("cells")
	}
	if err != nil {
		return nil, err
	}
	f.cells, err = readCells(cells)
	return f, err
}

// transient reports whether a key of a notebook's metadata belongs to the program that wrote the file: Jupyter removes
// it as well.
func transient(key string) bool {
	return key == "orig_nbformat" || key == "orig_nbformat_minor" || key == "signature"
}

// readVersion returns the number of the format, which is 2 to 4.
func readVersion(root node) (int, error) {
	if root.m["nbformat"] == nil {
		return 0, errors.New("nbformat: it is missing, so this is not a Jupyter notebook")
	}
	version, err := root.count("nbformat")
	switch {
	case err != nil:
		return 0, err
	case version < 2:
		return 0, fmt.Errorf("nbformat: %d is too old to be read: open the notebook with IPython 0.12 to 3 and save it, then import that", version)
	case version > major:
		return 0, fmt.Errorf("nbformat: %d is newer than 4, the newest that can be read", version)
	}
	return version, nil
}

// importer collects the events of one file.
type importer struct {
	payloads []event.Payload
	last     order.Place // of the latest cell
}

func (imp *importer) add(p event.Payload) { imp.payloads = append(imp.payloads, p) }

// notebook adds the events of the notebook's own properties.
func (imp *importer) notebook(f *file) {
	if title := takeTitle(f.metadata); title != "" {
		imp.add(&event.NotebookTitled{Title: title})
	}
	kept := object{}
	if f.minor > minor {
		kept[keptMinor] = f.minor
	}
	keepMember(kept, keptKeys, f.keys)
	for _, key := range imp.keys(f.metadata, kept) {
		imp.add(&event.NotebookMetadataSet{Key: key, Value: raw(f.metadata[key])})
	}
	if len(kept) > 0 {
		imp.add(&event.NotebookMetadataSet{Key: keyKept, Value: raw(kept)})
	}
}

// cell appends one cell.
func (imp *importer) cell(id event.CellID, c *cell) error {
	key, err := order.Between(imp.last, order.Place{})
	if err != nil {
		return err
	}
	imp.last = order.Place{Key: key, ID: string(id)}
	if c.id != string(id) {
		noteID(c.metadata, c.id)
	}
	m := takeMarks(c.cellType, c.metadata)
	imp.add(&event.CellCreated{Cell: id, Kind: m.kind, Language: m.language, Order: key, Source: c.source})
	if m.hideSource || m.hideOutputs || m.hideContext {
		imp.add(&event.CellVisibilitySet{
			Cell: id, Source: hidden(m.hideSource), Outputs: hidden(m.hideOutputs), Context: hidden(m.hideContext),
		})
	}
	imp.cellMetadata(id, c)
	if len(c.outputs) > 0 || c.count > 0 {
		imp.add(&event.OutputsImported{Cell: id, Outputs: c.outputs, Count: c.count})
	}
	return nil
}

// noteID records the id that a cell had in the file in its metadata, unless the metadata has one already.
func noteID(metadata object, id string) {
	ours := child(metadata, keyQuire)
	if metadata[keyQuire] != nil && ours == nil || id == "" || ours[keyID] != nil {
		return
	}
	setIn(metadata, keyQuire, keyID, id)
}

// hidden returns the value of CellVisibilitySet for a part: false, or nil for a part that is not hidden.
func hidden(hide bool) *bool {
	if !hide {
		return nil
	}
	return new(bool)
}

func (imp *importer) cellMetadata(id event.CellID, c *cell) {
	kept := object{}
	if !knownType(c.cellType) {
		kept[keptType] = c.cellType
	}
	keepMember(kept, keptKeys, c.keys)
	if c.attachments != nil {
		kept[keptAttachments] = c.attachments
	}
	if c.zero {
		kept[keptCount] = 0
	}
	for _, key := range imp.keys(c.metadata, kept) {
		imp.add(&event.CellMetadataSet{Cell: id, Key: key, Value: raw(c.metadata[key])})
	}
	if len(kept) > 0 {
		imp.add(&event.CellMetadataSet{Cell: id, Key: keyKept, Value: raw(kept)})
	}
}

// keys returns the keys of metadata that events can carry, sorted. The others are kept.
func (imp *importer) keys(metadata, kept object) []string {
	rest := object{}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if fits(key, metadata[key]) {
			keys = append(keys, key)
			continue
		}
		rest[key] = metadata[key]
	}
	keepMember(kept, keptMetadata, rest)
	return keys
}

// fits reports whether an event can carry a key of metadata with its value.
func fits(key string, value any) bool {
	return key != keyKept && key != "" && len(key) <= event.MaxKey && value != nil
}

// keepMember sets a kept member, unless it is empty.
func keepMember(kept object, key string, m object) {
	if len(m) > 0 {
		kept[key] = m
	}
}

// takeTitle removes the title from the metadata of a notebook and returns it. A title that a notebook cannot have
// stays.
func takeTitle(metadata object) string {
	title, _ := metadata[keyTitle].(string)
	if title == "" || len(title) > event.MaxTitle {
		return ""
	}
	delete(metadata, keyTitle)
	return title
}

// assignIDs returns the ids of the cells. The first cell with a valid id keeps it. The others get an id derived from
// their content: two imports of a file agree, and a cell keeps its id when others are added or removed.
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

// newID returns an unused id. Equal cells get the ids of the first, second and later copy.
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
