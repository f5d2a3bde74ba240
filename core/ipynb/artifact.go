package ipynb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// keyArtifacts has, in the metadata of an output in a file, what of its data is
// not in the file.
const keyArtifacts = "artifacts"

// noteArtifacts says in the data and metadata of an output which of its data lies
// outside the log, so that a reader of the file knows what is missing, and a
// program can fetch it.
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
		data[mimePlain] = strings.TrimPrefix(noted(v), "\n")
	}
}

// noted returns a line for each artifact of an output, each behind a line end.
func noted(v *event.Output) string {
	var b strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(v.Artifacts)) {
		a := v.Artifacts[mime]
		fmt.Fprintf(&b, "\n[%s of %d bytes is not in this file: sha256 %s]", mime, a.Size, a.Hash)
	}
	return b.String()
}
