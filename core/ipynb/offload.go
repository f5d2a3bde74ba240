package ipynb

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
)

// sizes bound the bytes of a file's outputs in the log.
type sizes struct {
	value, stream           int // the most of a value, and of the text of a stream, that stays whole
	shownValue, shownStream int // the length of the excerpts of larger plain texts
}

func usualSizes() sizes { return sizes{256 << 10, 1 << 20, 4 << 10, 64 << 10} }

// Offload moves outputs in payloads that are too large for a log into a store, and leaves the artifacts in the payloads.
// Exporting them with the same store gives the same file as without. A value that could not be restored exactly stays
// in the payload.
func Offload(ctx context.Context, payloads []event.Payload, to artifact.Store) error {
	return offloadAll(ctx, payloads, to, usualSizes())
}

func offloadAll(ctx context.Context, payloads []event.Payload, to artifact.Store, most sizes) error {
	for _, p := range payloads {
		imported, ok := p.(*event.OutputsImported)
		if !ok {
			continue
		}
		for i := range imported.Outputs {
			if err := offload(ctx, &imported.Outputs[i], to, most); err != nil {
				return fmt.Errorf("cell %s: output %d: %w", imported.Cell, i, err)
			}
		}
	}
	return nil
}

func offload(ctx context.Context, v *event.Output, to artifact.Store, most sizes) error {
	if v.Kind == event.OutputStream && len(v.Text) > most.stream {
		if err := offloadAs(ctx, v, artifact.Plain, []byte(v.Text), to); err != nil {
			return err
		}
		v.Text = artifact.Shown(v.Text, most.shownStream)
	}
	for _, mime := range slices.Sorted(maps.Keys(v.Data)) {
		if len(v.Data[mime]) <= most.value {
			continue
		}
		content, width, ok := contentOf(mime, v.Data[mime])
		if !ok {
			continue
		}
		if err := offloadAs(ctx, v, mime, content, to); err != nil {
			return err
		}
		if width != 0 {
			noteWidth(v, mime, width)
		}
		delete(v.Data, mime)
		if mime == artifact.Plain {
			v.Data[mime] = raw(artifact.Shown(string(content), most.shownValue))
		}
	}
	return nil
}

func offloadAs(ctx context.Context, v *event.Output, mime string, content []byte, to artifact.Store) error {
	a, err := to.Put(ctx, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("%s of %d bytes: %w", mime, len(content), err)
	}
	if v.Artifacts == nil {
		v.Artifacts = map[string]event.Artifact{}
	}
	v.Artifacts[mime] = a
	return nil
}

// contentOf returns the stored content of a value, with the width of the lines of base64, and whether the value can be
// restored from that.
func contentOf(mime string, value json.RawMessage) (content []byte, width int, ok bool) {
	if artifact.IsJSON(mime) {
		return value, 0, isJSON(mime)
	}
	var text string
	if json.Unmarshal(value, &text) != nil || isJSON(mime) {
		return nil, 0, false
	}
	if !artifact.IsBinary(mime) {
		return []byte(text), 0, true
	}
	plain := strings.ReplaceAll(text, "\n", "")
	content, err := base64.StdEncoding.DecodeString(plain)
	if err != nil || base64.StdEncoding.EncodeToString(content) != plain {
		return nil, 0, false
	}
	if len(plain) < len(text) {
		if width = strings.IndexByte(text, '\n'); width == len(plain) {
			width = -1
		}
	}
	return content, width, width >= -1 && wrapped(plain, width) == text
}

// wrapped returns base64 in lines of a width, each with a line end; for the width -1 in one line with a line end, and
// for 0 in one without.
func wrapped(plain string, width int) string {
	switch {
	case width == 0:
		return plain
	case width < 0:
		return plain + "\n"
	}
	var b strings.Builder
	for line := range slices.Chunk([]byte(plain), width) {
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// noteWidth keeps the width of a value's lines in the metadata of an output.
func noteWidth(v *event.Output, mime string, width int) {
	kept := decodeObject(v.Metadata[keyKept])
	if kept == nil {
		kept = object{}
	}
	setIn(kept, keptWidths, mime, width)
	if v.Metadata == nil {
		v.Metadata = map[string]json.RawMessage{}
	}
	v.Metadata[keyKept] = raw(kept)
}
