package ipynb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// The places of what Jupyter's widgets were and what shows them, as ipywidgets' "Widget
// model state" has them: a file's metadata has under keyWidgets, by mimeWidgets, an object
// with a model by each id as "state"; an output has the id that it shows under mimeView.
const (
	keyWidgets  = "widgets"
	mimeWidgets = "application/vnd.jupyter.widget-state+json"
	mimeView    = "application/vnd.jupyter.widget-view+json"
	keyState    = "state"
	reference   = "IPY_MODEL_" // begins the strings by which one model names another
)

// putWidgets puts the widgets of a notebook into its metadata. What came with the file
// stays beside them as far as it is shown; without widgets of the notebook's own all of
// it stays.
func (x *exporter) putWidgets(metadata object) error {
	own, err := x.models()
	if err != nil || len(own) == 0 {
		return err
	}
	widgets, bundle := child(metadata, keyWidgets), child(child(metadata, keyWidgets), mimeWidgets)
	if widgets == nil {
		if metadata[keyWidgets] != nil {
			return nil // it is the program's own, and no widgets
		}
		widgets = object{}
		metadata[keyWidgets] = widgets
	}
	if bundle == nil {
		bundle = object{"version_major": json.Number("2"), "version_minor": json.Number("0")}
		widgets[mimeWidgets] = bundle
	}
	came := child(bundle, keyState)
	state := object{}
	for id, model := range own {
		state[id] = model
	}
	for _, id := range shown(x.book, own, came) {
		if state[id] == nil {
			state[id] = came[id]
		}
	}
	bundle[keyState] = state
	return nil
}

// models returns the widgets of a notebook, by their ids.
func (x *exporter) models() (object, error) {
	all := object{}
	for _, id := range x.book.Comms() {
		c := x.book.Comm(id)
		if c.Target != event.WidgetTarget {
			continue
		}
		model, err := x.model(c)
		if err != nil {
			return nil, fmt.Errorf("comm %s: %w", id, err)
		}
		if model != nil {
			all[string(id)] = model
		}
	}
	return all, nil
}

// model returns a widget as a file has it, nil if its state does not say of which class
// it is: nothing could make it again.
func (x *exporter) model(c *notebook.Comm) (object, error) {
	state, err := openBundle(keyState, c.State)
	if err != nil {
		return nil, err
	}
	name, _ := state["_model_name"].(string)
	module, _ := state["_model_module"].(string)
	version, _ := state["_model_module_version"].(string)
	if name == "" || module == "" {
		return nil, nil
	}
	model := object{"model_name": name, "model_module": module, "model_module_version": version, keyState: state}
	buffers, err := x.buffers(c.Buffers)
	if len(buffers) > 0 {
		model["buffers"] = buffers
	}
	return model, err
}

// buffers returns the bytes of a widget, but those that lie outside the log and cannot be
// had.
func (x *exporter) buffers(buffers []event.Buffer) (list []any, err error) {
	for i := range buffers {
		b := &buffers[i]
		data, err := x.bytes(b)
		if err != nil {
			return nil, fmt.Errorf("buffer %d: %w", i, err)
		}
		if len(b.Path) == 0 || data == nil {
			continue
		}
		path := make([]any, len(b.Path))
		for j, step := range b.Path {
			if path[j], err = decode(step); err != nil {
				return nil, fmt.Errorf("buffer %d: %w", i, err)
			}
		}
		list = append(list, object{"data": data, "encoding": "base64", "path": path})
	}
	return list, nil
}

// bytes returns the bytes of a buffer in base64, nil if they cannot be had.
func (x *exporter) bytes(b *event.Buffer) (any, error) {
	if b.Artifact == nil {
		return b.Data, nil
	}
	if x.from == nil {
		return nil, nil
	}
	s := &streamed{open: func() (io.ReadCloser, error) { return x.from.Open(x.ctx, *b.Artifact) }, size: b.Artifact.Size, form: formBase64}
	r, err := s.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return s, r.Close()
}

// shown returns the models that outputs show, and those that these name, as far as they
// are in own or came.
func shown(n *notebook.Notebook, own, came object) (ids []string) {
	seen := map[string]bool{}
	var see func(id string)
	see = func(id string) {
		model := own[id]
		if model == nil {
			model = came[id]
		}
		if model == nil || seen[id] {
			return
		}
		seen[id] = true
		ids = append(ids, id)
		named(model, see)
	}
	for _, cell := range n.Cells() {
		for _, o := range n.Cell(cell).Outputs {
			v := n.Output(o).Value()
			if id, ok := decodeObject(v.Data[mimeView])["model_id"].(string); ok {
				see(id)
			}
		}
	}
	return ids
}

// named calls see with the ids of the models that a value names.
func named(value any, see func(id string)) {
	switch value := value.(type) {
	case string:
		if id, ok := strings.CutPrefix(value, reference); ok {
			see(id)
		}
	case []any:
		for _, v := range value {
			named(v, see)
		}
	case object:
		for _, v := range value {
			named(v, see)
		}
	}
}
