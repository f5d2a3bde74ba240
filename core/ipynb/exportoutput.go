package ipynb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (x *exporter) outputs(c *notebook.Cell) ([]any, error) {
	outputs := make([]any, 0, len(c.Outputs))
	var last *notebook.Output
	for _, id := range c.Outputs {
		o := x.notebook.Output(id)
		v := o.Value()
		out, err := x.output(&v, o.Run == "")
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", id, err)
		}
		if before := len(outputs) - 1; before >= 0 && continuesIn(last, o.Run, &v) && isWhole(last, outputs[before]) {
			joinStreams(outputs[before].(object), out)
		} else {
			outputs = append(outputs, out)
		}
		last = o
	}
	return outputs, nil
}

// continuesIn reports whether an output continues in the next one: both are of one stream of one run. They are separate
// because the log bounds one, or because the run had ended in between.
func continuesIn(o *notebook.Output, run event.RunID, next *event.Output) bool {
	v := o.Value()
	return run != "" && o.Run == run && next.Kind == event.OutputStream && v.Kind == event.OutputStream && v.Stream == next.Stream
}

// isWhole reports whether a file has all the text of a stream, and no note instead.
func isWhole(o *notebook.Output, written any) bool {
	v := o.Value()
	return len(v.Artifacts) == 0 || isStreamed(written)
}

// joinStreams appends the text of a stream to that of another.
func joinStreams(out, next object) {
	a, aHere := out["text"].([]any)
	b, bHere := next["text"].([]any)
	if !aHere || !bHere {
		out["text"] = joinStreamed(streamedText(out["text"]), streamedText(next["text"]))
		return
	}
	more, _ := joined(b)
	if n := len(a) - 1; n >= 0 { // its last line may continue
		more, a = a[n].(string)+more, a[:n]
	}
	out["text"] = append(a, lines(more)...)
}

// streamedText returns the text of a stream as one that is read while it is written.
func streamedText(text any) *streamed {
	if v, ok := text.(*streamed); ok {
		return v
	}
	s, _ := joined(text)
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	return &streamed{open: open, size: int64(len(s)), form: formLines}
}

// output returns an output in its form in a file. The kept members of an imported one are restored.
func (x *exporter) output(v *event.Output, imported bool) (object, error) {
	var kept object
	if imported {
		kept = decodeObject(v.Metadata[keyKept])
		if whole := child(kept, keptOutput); whole != nil {
			return whole, nil
		}
	}
	stored, err := x.stored(v, kept)
	if err != nil {
		return nil, err
	}
	out, err := outputOf(v, kept, stored, imported)
	if err != nil {
		return nil, err
	}
	if text := stored[mimePlain]; text != nil && v.Kind == event.OutputStream {
		out["text"] = text
	}
	for key, value := range child(kept, keptKeys) {
		if _, ours := out[key]; !ours {
			out[key] = value
		}
	}
	return out, nil
}

// outputOf returns an output with the members of its type in the format.
func outputOf(v *event.Output, kept object, stored map[string]*streamed, imported bool) (object, error) {
	switch v.Kind {
	case event.OutputStream:
		return streamOf(v, kept), nil
	case event.OutputError:
		return errorOf(v.Error, kept), nil
	}
	data, err := openBundle("data", v.Data)
	if err != nil {
		return nil, err
	}
	metadata, err := openBundle("metadata", v.Metadata)
	if err != nil {
		return nil, err
	}
	if imported {
		delete(metadata, keyKept)
		maps.Copy(metadata, child(kept, keptMetadata))
	}
	if v.Kind == event.OutputMarkdown {
		data[mimeMarkdown] = v.Text
		setIn(metadata, keyQuire, keyKind, string(event.OutputMarkdown))
	}
	noteArtifacts(v, data, metadata)
	cut := cutBundle(data)
	for mime, value := range stored {
		cut[mime] = value
	}
	out := object{"output_type": typeDisplay, "data": cut, "metadata": metadata}
	if v.Kind == event.OutputResult {
		out["output_type"], out["execution_count"] = typeResult, countOf(v.Count, kept[keptCount])
	}
	return out, nil
}

func streamOf(v *event.Output, kept object) object {
	name := v.Stream
	if was, _ := kept[keptStream].(string); was != "" {
		name = was
	}
	return object{"output_type": typeStream, "name": name, "text": lines(v.Text + artifactNotes(v))}
}

func errorOf(e *event.Error, kept object) object {
	out := object{"output_type": typeError, "ename": "", "evalue": "", "traceback": []any{}}
	if e != nil {
		sizes, _ := kept[keptTraceback].([]any)
		trace := e.Trace
		if e.Line > 0 { // an error of a file has its place in its trace alone
			trace = e.Lines()
		}
		out["ename"], out["evalue"], out["traceback"] = e.Name, e.Message, joinTrace(trace, sizes)
	}
	return out
}

// openBundle returns values by MIME type, or metadata without kept members, in their form in a file.
func openBundle(what string, m map[string]json.RawMessage) (object, error) {
	bundle := make(object, len(m))
	for key, data := range m {
		v, err := decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", what, key, err)
		}
		bundle[key] = v
	}
	return bundle, nil
}

// countOf returns the number of a run as written: null if there is none, or the zero of the imported file.
func countOf(n int, kept any) any {
	switch {
	case n > 0:
		return n
	case kept == json.Number("0"):
		return 0
	}
	return nil
}

// keyArtifacts lists, in the metadata of an output in a file, the parts of its data that are not in the file.
const keyArtifacts = "artifacts"

// stored returns the values of an output that are stored outside the log and available, by MIME type. It leaves the
// unavailable artifacts in v.
func (x *exporter) stored(v *event.Output, kept object) (map[string]*streamed, error) {
	if x.from == nil || len(v.Artifacts) == 0 {
		return nil, nil
	}
	values, missing := map[string]*streamed{}, map[string]event.Artifact{}
	for mime, a := range v.Artifacts {
		s := &streamed{open: func() (io.ReadCloser, error) { return x.from.Open(x.ctx, a) }, size: a.Size, form: formOf(mime)}
		r, err := s.open()
		if err == nil {
			err = r.Close()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing[mime] = a
			continue
		case err != nil:
			return nil, err
		}
		if width, ok := child(kept, keptWidths)[mime].(json.Number); ok {
			s.width, _ = strconv.Atoi(width.String()) // written by this package
		}
		values[mime] = s
	}
	v.Artifacts = missing
	return values, nil
}

// formOf returns how the content of a type is written as a value.
func formOf(mime string) form {
	switch {
	case artifact.IsJSON(mime):
		return formJSON
	case artifact.IsBinary(mime):
		return formBase64
	case inLines(mime):
		return formLines
	}
	return formText
}

// noteArtifacts records in the data and metadata of an output which of its data is outside the log: a reader of the
// file sees the missing parts, and a program can fetch it.
func noteArtifacts(v *event.Output, data, metadata object) {
	if len(v.Artifacts) == 0 {
		return
	}
	artifacts := object{}
	for mime, a := range v.Artifacts {
		artifacts[mime] = object{"hash": a.Hash, "size": json.Number(strconv.FormatInt(a.Size, 10))}
	}
	setIn(metadata, keyQuire, keyArtifacts, artifacts)
	if data[mimePlain] == nil {
		data[mimePlain] = strings.TrimPrefix(artifactNotes(v), "\n")
	}
}

// artifactNotes returns a line for each artifact of an output, each after a line end.
func artifactNotes(v *event.Output) string {
	var b strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(v.Artifacts)) {
		a := v.Artifacts[mime]
		fmt.Fprintf(&b, "\n[%s of %d bytes is not in this file: sha256 %s]", mime, a.Size, a.Hash)
	}
	return b.String()
}
