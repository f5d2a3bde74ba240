package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime/screen"
)

// Bounds of artifacts in a page: a browser has to hold all of it.
const (
	maxArtifact  = 16 << 20 // bytes of one
	maxArtifacts = 64 << 20 // bytes of all in a page
)

// inline replaces the references to artifacts in an output by their values, if they are small
// enough for the page and available. Other references stay.
func (p *page) inline(v *event.Output) error {
	if p.open == nil || len(v.Artifacts) == 0 {
		return nil
	}
	data, rest := maps.Clone(v.Data), maps.Clone(v.Artifacts)
	if data == nil {
		data = map[string]json.RawMessage{}
	}
	for _, mime := range slices.Sorted(maps.Keys(v.Artifacts)) {
		a := v.Artifacts[mime]
		if a.Size > maxArtifact || a.Size > maxArtifacts-p.inlined {
			continue
		}
		content, err := p.read(a)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if v.Kind == event.OutputStream && mime == artifact.Plain {
			v.Text = screen.Shown(content)
		} else if data[mime], err = artifact.Value(mime, content); err != nil {
			return err
		}
		p.inlined += a.Size
		delete(rest, mime)
	}
	v.Data, v.Artifacts = data, rest
	return nil
}

// read returns the bytes of an artifact.
func (p *page) read(a event.Artifact) ([]byte, error) {
	r, err := p.open(a)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, a.Size+1))
	if err = errors.Join(err, r.Close()); err == nil && int64(len(content)) != a.Size {
		err = fmt.Errorf("artifact %s has other than its %d bytes", a.Hash, a.Size)
	}
	return content, err
}
