package ipynb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/notebook"
)

// Export writes a notebook as nbformat 4.5, in the form that Jupyter gives its
// files: sorted keys, one space of indentation a level, texts cut into lines, and
// a line end at the end. What lies outside the log is not in the file, which says so.
//
// It fails only on metadata or data that is not JSON, which no event can carry.
func Export(n *notebook.Notebook) ([]byte, error) {
	var b bytes.Buffer
	err := Write(context.Background(), &b, n, nil)
	return b.Bytes(), err
}

// Write writes a notebook as [Export] does, with what lies outside the log, if from has it.
// Memory stays flat however large that is. What from does not have, with the error
// fs.ErrNotExist, is named in the file instead; after any other error what was written is
// no whole file.
func Write(ctx context.Context, w io.Writer, n *notebook.Notebook, from artifact.Source) error {
	return (&exporter{ctx: ctx, book: n, from: from}).write(w)
}

// WriteTimed is [Write], and notes with each cell when its last run began and ended, as
// programs that run files of Jupyter do.
func WriteTimed(ctx context.Context, w io.Writer, n *notebook.Notebook, from artifact.Source) error {
	return (&exporter{ctx: ctx, book: n, from: from, timed: true}).write(w)
}

// exporter knows where what a file is made of comes from.
type exporter struct {
	ctx   context.Context
	book  *notebook.Notebook
	from  artifact.Source // nil for none
	timed bool            // the times of runs are written
}

func (x *exporter) write(w io.Writer) error {
	n := x.book
	metadata, kept, err := openMetadata(n.Metadata())
	if err != nil {
		return err
	}
	if title := n.Title(); title != "" {
		metadata[keyTitle] = title
	}
	if err := x.putWidgets(metadata); err != nil {
		return err
	}
	cells := make([]any, len(n.Cells()))
	for i, id := range n.Cells() {
		if cells[i], err = x.cell(n.Cell(id)); err != nil {
			return fmt.Errorf("cell %s: %w", id, err)
		}
	}
	root := object{}
	maps.Copy(root, child(kept, keptKeys))
	root["cells"], root["metadata"] = cells, metadata
	root["nbformat"], root["nbformat_minor"] = major, minorOf(kept)
	out := &writer{to: w}
	out.value(root, 0)
	out.buf = append(out.buf, '\n')
	out.flush(0)
	return out.err
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

func (x *exporter) cell(c *notebook.Cell) (object, error) {
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
	x.putTimes(metadata, c)
	cell := object{}
	maps.Copy(cell, child(kept, keptKeys))
	cell["id"], cell["cell_type"] = string(c.ID), cellType
	cell["metadata"], cell["source"] = metadata, lines(c.Source())
	switch files := child(kept, keptAttachments); {
	case cellType == typeCode:
		cell["execution_count"] = countOf(c.Count, kept[keptCount])
		cell["outputs"], err = x.outputs(c)
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
