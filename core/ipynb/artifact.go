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
)

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
