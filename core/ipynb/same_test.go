package ipynb

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// same checks that an exported file has the contents of the nbformat 4 file that it came from, and that cells without a
// valid id got one.
func same(t tb, file, exported []byte) {
	t.Helper()
	want, got := normal(t, file), normal(t, exported)
	forget(want)
	wantCells, gotCells := listOf(want["cells"]), listOf(got["cells"])
	if len(wantCells) != len(gotCells) {
		t.Fatalf("got %d cells, want %d", len(gotCells), len(wantCells))
	}
	for i, v := range wantCells {
		c, g := v.(map[string]any), gotCells[i].(map[string]any)
		if id, _ := g["id"].(string); !validID.MatchString(id) {
			t.Errorf("cell %d: got the id %q, want one of nbformat 4.5", i, id)
		}
		if c["id"] == nil {
			delete(g, "id")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the exported file says something else (-file +exported):\n%s", diff)
	}
}

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// normal reads a file of nbformat 4 and removes everything insignificant. All the rest must come back. It removes:
//
// - the order of keys, white space and escapes, which decoding removes;
// - the way a text is cut into a list of strings;
// - the difference between a missing or null member and an empty one;
// - a minor version below 5, and ids that are missing, malformed or taken: those are in the metadata then;
//
// What forget removes is insignificant too, but must not be in an export.
func normal(t tb, file []byte) map[string]any {
	t.Helper()
	root := mapOf(decodeAny(t, file))
	if minor := root["nbformat_minor"]; minor == nil || strings.Contains("01234", minor.(json.Number).String()) {
		root["nbformat_minor"] = json.Number("5")
	}
	missing(root, "metadata", map[string]any{})
	missing(root, "cells", []any{})
	seen := map[string]bool{}
	for _, v := range root["cells"].([]any) {
		normalCell(v.(map[string]any), seen)
	}
	return root
}

// forget removes the members that the format says must not be in a file: its original format, a signature, whether a
// cell is trusted, and the transient part of outputs.
func forget(root map[string]any) {
	for _, key := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
		delete(mapOf(root["metadata"]), key)
	}
	for _, c := range listOf(root["cells"]) {
		delete(mapOf(mapOf(c)["metadata"]), "trusted")
		if mapOf(c)["cell_type"] != "code" {
			continue
		}
		for _, o := range listOf(mapOf(c)["outputs"]) {
			if kind := mapOf(o)["output_type"]; kind == "display_data" || kind == "execute_result" {
				delete(mapOf(o), "transient")
			}
		}
	}
}

func normalCell(c map[string]any, seen map[string]bool) {
	missing(c, "metadata", map[string]any{})
	missing(c, "source", "")
	join(c, "source")
	metadata := c["metadata"].(map[string]any)
	normalID(c, metadata, seen)
	switch c["cell_type"] {
	case "code":
		missing(c, "outputs", []any{})
		missing(c, "execution_count", nil)
		for _, o := range c["outputs"].([]any) {
			normalOutput(o.(map[string]any))
		}
	case "markdown", "raw":
		if c["attachments"] == nil {
			delete(c, "attachments")
		}
		for name, bundle := range mapOf(c["attachments"]) {
			if bundle == nil {
				mapOf(c["attachments"])[name] = map[string]any{}
			}
			joinBundle(mapOf(bundle))
		}
	}
}

// normalID moves an id that a cell cannot keep to its metadata.
func normalID(c, metadata map[string]any, seen map[string]bool) {
	id, _ := c["id"].(string)
	if validID.MatchString(id) && !seen[id] {
		seen[id] = true
		return
	}
	delete(c, "id")
	ours, isObject := metadata["quire"].(map[string]any)
	if id == "" || ours["id"] != nil || metadata["quire"] != nil && !isObject {
		return
	}
	if ours == nil {
		ours = map[string]any{}
		metadata["quire"] = ours
	}
	ours["id"] = id
}

func normalOutput(o map[string]any) {
	switch o["output_type"] {
	case "stream":
		if o["name"] == nil || o["name"] == "" {
			o["name"] = "stdout"
		}
		missing(o, "text", "")
		join(o, "text")
	case "display_data", "execute_result":
		missing(o, "data", map[string]any{})
		missing(o, "metadata", map[string]any{})
		joinBundle(mapOf(o["data"]))
		if o["output_type"] == "execute_result" {
			missing(o, "execution_count", nil)
		}
	case "error":
		missing(o, "ename", "")
		missing(o, "evalue", "")
		missing(o, "traceback", []any{})
	}
}

// missing sets a member that is missing or null.
func missing(m map[string]any, key string, v any) {
	if m[key] == nil {
		m[key] = v
	}
}

func joinBundle(m map[string]any) {
	for mime := range m {
		if mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json") {
			continue
		}
		join(m, mime)
	}
}

// join makes one string of a list that has only strings.
func join(m map[string]any, key string) {
	list, ok := m[key].([]any)
	if !ok {
		return
	}
	parts := make([]string, len(list))
	for i, v := range list {
		if parts[i], ok = v.(string); !ok {
			return
		}
	}
	m[key] = strings.Join(parts, "")
}

func mapOf(v any) map[string]any { m, _ := v.(map[string]any); return m }

func listOf(v any) []any { l, _ := v.([]any); return l }

// decodeAny reads a file without this package.
func decodeAny(t tb, file []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode notebook: %v", err)
	}
	return v
}
