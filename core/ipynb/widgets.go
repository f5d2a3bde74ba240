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

// The keys of the state and views of Jupyter's widgets, by ipywidgets' "Widget model state": a file's metadata has
// under keyWidgets, by mimeWidgets, an object whose "state" has a model by each id; an output has the id of the model
// that it shows under mimeView.
const (
	keyWidgets  = "widgets"
	mimeWidgets = "application/vnd.jupyter.widget-state+json"
	mimeView    = "application/vnd.jupyter.widget-view+json"
	keyState    = "state"
	reference   = "IPY_MODEL_" // prefix of strings by which one model refers to another
)

// putWidgets adds the widgets of a notebook to its metadata. Imported widgets stay if an output shows them; if the
// notebook has no widgets of its own, all of them stay.
func (x *exporter) putWidgets(metadata object) error {
	own, err := x.models()
	if err != nil || len(own) == 0 {
		return err
	}
	widgets, bundle := child(metadata, keyWidgets), child(child(metadata, keyWidgets), mimeWidgets)
	if widgets == nil {
		if metadata[keyWidgets] != nil {
			return nil // it belongs to the program and has no widgets
		}
		widgets = object{}
		metadata[keyWidgets] = widgets
	}
	if bundle == nil {
		bundle = object{"version_major": json.Number("2"), "version_minor": json.Number("0")}
		widgets[mimeWidgets] = bundle
	}
	imported := child(bundle, keyState)
	state := object{}
	for id, model := range own {
		state[id] = model
	}
	for _, id := range shownModels(x.notebook, own, imported) {
		if state[id] == nil {
			state[id] = imported[id]
		}
	}
	bundle[keyState] = state
	return nil
}

// models returns the widgets of a notebook, by their ids.
func (x *exporter) models() (object, error) {
	all := object{}
	for _, id := range x.notebook.Comms() {
		c := x.notebook.Comm(id)
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

// model returns a widget in its form in a file, nil if its state does not name its class: without it the widget cannot
// be recreated.
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

// buffers returns the bytes of a widget, except unavailable artifacts.
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

// bytes returns the bytes of a buffer in base64, nil if they are unavailable.
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

// shownModels returns the ids of the models that outputs show, directly or through references, and that are in own or
// imported.
func shownModels(n *notebook.Notebook, own, imported object) (ids []string) {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		model := own[id]
		if model == nil {
			model = imported[id]
		}
		if model == nil || seen[id] {
			return
		}
		seen[id] = true
		ids = append(ids, id)
		eachReference(model, visit)
	}
	for _, cell := range n.Cells() {
		for _, o := range n.Cell(cell).Outputs {
			v := n.Output(o).Value()
			if id, ok := decodeObject(v.Data[mimeView])["model_id"].(string); ok {
				visit(id)
			}
		}
	}
	return ids
}

// eachReference calls visit with the ids of the models that a value refers to.
func eachReference(value any, visit func(id string)) {
	switch value := value.(type) {
	case string:
		if id, ok := strings.CutPrefix(value, reference); ok {
			visit(id)
		}
	case []any:
		for _, v := range value {
			eachReference(v, visit)
		}
	case object:
		for _, v := range value {
			eachReference(v, visit)
		}
	}
}
