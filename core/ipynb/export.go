package ipynb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Export writes a notebook as nbformat 4.5, in the form of Jupyter's files: sorted keys, one space of indentation a
// level, texts cut into lines, and a line end at the end. Data outside the log is not in the file, but listed there.
//
// It fails only on metadata or data that is not JSON, which no event can carry.
func Export(n *notebook.Notebook) ([]byte, error) {
	var b bytes.Buffer
	err := Write(context.Background(), &b, n, nil)
	return b.Bytes(), err
}

// Write writes a notebook as [Export] does, including the artifacts that from has. Memory use does not depend on their
// size. An artifact that from does not have, with the error fs.ErrNotExist, is listed in the file instead; after any
// other error the written file is incomplete.
func Write(ctx context.Context, w io.Writer, n *notebook.Notebook, from artifact.Source) error {
	return (&exporter{ctx: ctx, notebook: n, from: from}).write(w)
}

// WriteTimed is [Write], and adds to each cell when its last run began and ended, as programs that run Jupyter files
// do.
func WriteTimed(ctx context.Context, w io.Writer, n *notebook.Notebook, from artifact.Source) error {
	return (&exporter{ctx: ctx, notebook: n, from: from, timed: true}).write(w)
}

// exporter has the sources of a file's data.
type exporter struct {
	ctx      context.Context
	notebook *notebook.Notebook
	from     artifact.Source // nil for none
	timed    bool            // the times of runs are written
}

func (x *exporter) write(w io.Writer) error {
	n := x.notebook
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

// minorOf returns the minor version to write: 5, or the newer one of the imported file.
func minorOf(kept object) int {
	number, _ := kept[keptMinor].(json.Number)
	if n, err := strconv.Atoi(number.String()); err == nil && n > minor {
		return n
	}
	return minor
}

// openMetadata returns metadata in its form in a file, and the kept members.
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

// typeOf returns the type that a cell of a kind has in a file.
func typeOf(k event.CellKind) string {
	switch k {
	case event.KindMarkdown:
		return typeMarkdown
	case event.KindRaw:
		return typeRaw
	}
	return typeCode
}

func cutAttachments(files object) object {
	cut := make(object, len(files))
	for name := range files {
		cut[name] = cutBundle(child(files, name))
	}
	return cut
}

// keyExecution has, in the metadata of a cell, the times of its run: those of the messages of Jupyter's protocol, by
// channel and type.
const keyExecution = "execution"

// The messages at the beginning and at the end of a run.
var (
	atStart = []string{"iopub.status.busy", "iopub.execute_input"}
	atEnd   = []string{"iopub.status.idle", "shell.execute_reply"}
)

// putTimes removes imported times from a cell that was run since, and writes those of that run if times are wanted.
func (x *exporter) putTimes(metadata object, c *notebook.Cell) {
	if c.Began == "" {
		return
	}
	delete(metadata, keyExecution)
	r := x.notebook.Run(c.Began)
	if !x.timed || r == nil || r.Started == 0 {
		return
	}
	times := object{}
	putTime(times, atStart, r.Started)
	putTime(times, atEnd, r.Finished)
	metadata[keyExecution] = times
}

func putTime(times object, messages []string, at event.Time) {
	if at == 0 {
		return // it has not happened yet
	}
	for _, message := range messages {
		times[message] = time.UnixMilli(int64(at)).UTC().Format("2006-01-02T15:04:05.000000Z")
	}
}
