package ipynb

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/quirehq/quire/core/notebook"
)

// Export writes a notebook as nbformat 4.5, in the form that Jupyter gives its
// files: sorted keys, one space of indentation a level, texts cut into lines, and
// a line end at the end.
//
// It fails only on metadata or data that is not JSON, which no event can carry.
func Export(n *notebook.Notebook) ([]byte, error) {
	metadata, kept, err := openMetadata(n.Metadata())
	if err != nil {
		return nil, err
	}
	if title := n.Title(); title != "" {
		metadata[keyTitle] = title
	}
	cells := make([]any, len(n.Cells()))
	for i, id := range n.Cells() {
		if cells[i], err = exportCell(n, n.Cell(id)); err != nil {
			return nil, fmt.Errorf("cell %s: %w", id, err)
		}
	}
	root := object{}
	maps.Copy(root, child(kept, keptKeys))
	root["cells"], root["metadata"] = cells, metadata
	root["nbformat"], root["nbformat_minor"] = major, minorOf(kept)
	return append(appendValue(nil, root, 0), '\n'), nil
}

// minorOf returns the minor version to write: the newer one that the file had, if
// it was read from one.
func minorOf(kept object) int {
	number, _ := kept[keptMinor].(json.Number)
	if n, err := strconv.Atoi(number.String()); err == nil && n > minor {
		return n
	}
	return minor
}

// openMetadata returns metadata as it is in a file, and what is kept beside it.
func openMetadata(m map[string]json.RawMessage) (metadata, kept object, err error) {
	kept = decodeObject(m[keyKept])
	metadata = object{}
	maps.Copy(metadata, child(kept, keptMetadata))
	for key, data := range m {
		if key == keyKept {
			continue
		}
		if metadata[key], err = decode(data); err != nil {
			return nil, nil, fmt.Errorf("metadata %q: %w", key, err)
		}
	}
	return metadata, kept, nil
}

func exportCell(n *notebook.Notebook, c *notebook.Cell) (object, error) {
	metadata, kept, err := openMetadata(c.Metadata)
	if err != nil {
		return nil, err
	}
	cellType := typeOf(c.Kind)
	if was, _ := kept[keptType].(string); cellType == typeRaw && was != "" && !knownType(was) {
		cellType = was
	}
	putMarks(cellType, metadata, marks{
		kind: c.Kind, language: c.Language,
		hideSource: c.HideSource, hideOutputs: c.HideOutputs, hideContext: c.HideContext,
	})
	cell := object{}
	maps.Copy(cell, child(kept, keptKeys))
	cell["id"], cell["cell_type"] = string(c.ID), cellType
	cell["metadata"], cell["source"] = metadata, lines(c.Source())
	switch files := child(kept, keptAttachments); {
	case cellType == typeCode:
		cell["execution_count"] = countOf(c.Count, kept[keptCount])
		cell["outputs"], err = exportOutputs(n, c)
	case files != nil:
		cell["attachments"] = cutAttachments(files)
	}
	return cell, err
}

func cutAttachments(files object) object {
	cut := make(object, len(files))
	for name := range files {
		cut[name] = cutBundle(child(files, name))
	}
	return cut
}
