package ipynb

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// mustBeValid checks a file against the requirements of nbformat 4.5.
func mustBeValid(t tb, file []byte) {
	t.Helper()
	for _, problem := range problems(decodeAny(t, file)) {
		t.Errorf("not nbformat 4.5: %s", problem)
	}
}

// checker collects violations of the schema of nbformat 4.5.
type checker struct{ found []string }

func problems(root any) []string {
	var c checker
	top := c.object("notebook", root, []string{"cells", "metadata", "nbformat", "nbformat_minor"}, nil)
	c.check(top["nbformat"] == json.Number("4"), "nbformat: want 4, got %v", top["nbformat"])
	c.check(top["nbformat_minor"] == json.Number("5"), "nbformat_minor: want 5, got %v", top["nbformat_minor"])
	c.notebookMetadata(top["metadata"])
	list, ok := top["cells"].([]any)
	c.check(ok, "cells: want a list")
	seen := map[string]bool{}
	for i, v := range list {
		c.cell("cells["+strconv.Itoa(i)+"]", v, seen)
	}
	return c.found
}

func (c *checker) check(ok bool, format string, args ...any) {
	if !ok {
		c.found = append(c.found, fmt.Sprintf(format, args...))
	}
}

// object requires an object with all the needed members, and besides them only the allowed ones.
func (c *checker) object(at string, v any, needed, allowed []string) map[string]any {
	m, ok := v.(map[string]any)
	c.check(ok, "%s: want an object", at)
	for _, key := range needed {
		_, ok := m[key]
		c.check(ok, "%s.%s: it is required", at, key)
	}
	for key := range m {
		c.check(slices.Contains(needed, key) || slices.Contains(allowed, key), "%s.%s: it is not allowed", at, key)
	}
	return m
}

func (c *checker) anyObject(at string, v any) map[string]any {
	m, ok := v.(map[string]any)
	c.check(ok, "%s: want an object", at)
	return m
}

func (c *checker) notebookMetadata(v any) {
	m := c.anyObject("metadata", v)
	if v, ok := m["kernelspec"]; ok {
		spec := c.anyObject("metadata.kernelspec", v)
		c.str("metadata.kernelspec.name", spec["name"])
		c.str("metadata.kernelspec.display_name", spec["display_name"])
	}
	if v, ok := m["language_info"]; ok {
		c.str("metadata.language_info.name", c.anyObject("metadata.language_info", v)["name"])
	}
	if v, ok := m["title"]; ok {
		c.str("metadata.title", v)
	}
	_, ok := m["orig_nbformat"]
	c.check(!ok, "metadata.orig_nbformat: it is never written")
}

func (c *checker) cell(at string, v any, seen map[string]bool) {
	m := c.anyObject(at, v)
	needed, allowed := []string{"id", "cell_type", "metadata", "source"}, []string{"attachments"}
	switch m["cell_type"] {
	case "code":
		needed, allowed = append(needed, "outputs", "execution_count"), nil
	case "markdown", "raw":
	default:
		c.check(false, "%s.cell_type: %v is none", at, m["cell_type"])
	}
	c.object(at, m, needed, allowed)
	id, _ := m["id"].(string)
	c.check(validID.MatchString(id) && !seen[id], "%s.id: %q is malformed or taken", at, id)
	seen[id] = true
	c.text(at+".source", m["source"])
	c.cellMetadata(at+".metadata", m["metadata"])
	if v, ok := m["attachments"]; ok {
		for name, bundle := range c.anyObject(at+".attachments", v) {
			c.bundle(at+".attachments["+name+"]", bundle)
		}
	}
	if m["cell_type"] == "code" {
		c.count(at, m["execution_count"])
		list, ok := m["outputs"].([]any)
		c.check(ok, "%s.outputs: want a list", at)
		for i, o := range list {
			c.output(fmt.Sprintf("%s.outputs[%d]", at, i), o)
		}
	}
}

func (c *checker) cellMetadata(at string, v any) {
	m := c.anyObject(at, v)
	if v, ok := m["jupyter"]; ok {
		for key, flag := range c.anyObject(at+".jupyter", v) {
			_, isFlag := flag.(bool)
			c.check(isFlag || key != "source_hidden" && key != "outputs_hidden", "%s.jupyter.%s: want true or false", at, key)
		}
	}
	if v, ok := m["collapsed"]; ok {
		_, isFlag := v.(bool)
		c.check(isFlag, "%s.collapsed: want true or false", at)
	}
	if v, ok := m["name"]; ok {
		c.check(v != "", "%s.name: want a string that is not empty", at)
		c.str(at+".name", v)
	}
	if v, ok := m["tags"]; ok {
		c.tags(at+".tags", v)
	}
}

var tag = regexp.MustCompile(`^[^,]+$`)

func (c *checker) tags(at string, v any) {
	list, ok := v.([]any)
	c.check(ok, "%s: want a list", at)
	seen := map[any]bool{}
	for _, v := range list {
		s, ok := v.(string)
		c.check(ok && tag.MatchString(s) && !seen[s], "%s: %v is no tag, or there twice", at, v)
		seen[s] = true
	}
}

func (c *checker) output(at string, v any) {
	kind := c.anyObject(at, v)["output_type"]
	switch kind {
	case "stream":
		m := c.object(at, v, []string{"output_type", "name", "text"}, nil)
		c.str(at+".name", m["name"])
		c.text(at+".text", m["text"])
	case "display_data":
		m := c.object(at, v, []string{"output_type", "data", "metadata"}, nil)
		c.bundle(at+".data", m["data"])
		c.anyObject(at+".metadata", m["metadata"])
	case "execute_result":
		m := c.object(at, v, []string{"output_type", "data", "metadata", "execution_count"}, nil)
		c.bundle(at+".data", m["data"])
		c.anyObject(at+".metadata", m["metadata"])
		c.count(at, m["execution_count"])
	case "error":
		m := c.object(at, v, []string{"output_type", "ename", "evalue", "traceback"}, nil)
		c.str(at+".ename", m["ename"])
		c.str(at+".evalue", m["evalue"])
		_, ok := m["traceback"].([]any)
		c.check(ok, "%s.traceback: want a list", at)
		c.text(at+".traceback", m["traceback"])
	default:
		c.check(false, "%s.output_type: %v is none", at, kind)
	}
}

var jsonType = regexp.MustCompile(`^application/(.*\+)?json$`)

func (c *checker) bundle(at string, v any) {
	for mime, value := range c.anyObject(at, v) {
		if !jsonType.MatchString(mime) {
			c.text(at+"["+mime+"]", value)
		}
	}
}

func (c *checker) str(at string, v any) {
	_, ok := v.(string)
	c.check(ok, "%s: want a string", at)
}

func (c *checker) text(at string, v any) {
	if list, ok := v.([]any); ok {
		for _, v := range list {
			c.str(at+"[]", v)
		}
		return
	}
	c.str(at, v)
}

func (c *checker) count(at string, v any) {
	n, _ := v.(json.Number)
	_, err := strconv.ParseUint(n.String(), 10, 63)
	c.check(v == nil || err == nil, "%s.execution_count: want null or a whole number from 0", at)
}

func TestTheCheckOfValidityFindsWhatTheSchemaForbids(t *testing.T) {
	const code = `"id":"a","cell_type":"code","metadata":{},"source":[],"execution_count":null`
	for _, cells := range []string{
		`{"cell_type":"code","metadata":{},"source":[],"execution_count":null,"outputs":[]}`,
		`{` + code + `}`,
		`{` + code + `,"outputs":[],"attachments":{}}`,
		`{` + code + `,"outputs":[]},{` + code + `,"outputs":[]}`,
		`{` + code + `,"outputs":[{"output_type":"stream","name":"stdout","text":"","metadata":{}}]}`,
		`{` + code + `,"outputs":[{"output_type":"execute_result","data":{},"metadata":{}}]}`,
		`{` + code + `,"outputs":[{"output_type":"display_data","data":{"text/html":1},"metadata":{}}]}`,
		`{` + code + `,"outputs":[{"output_type":"error","ename":"","evalue":"","traceback":"x"}]}`,
		`{"id":"a","cell_type":"markdown","metadata":{"tags":["x,y"]},"source":[]}`,
		`{"id":"a b","cell_type":"raw","metadata":{},"source":[]}`,
		`{"id":"a","cell_type":"sql","metadata":{},"source":[]}`,
	} {
		root := decodeAny(t, []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[`+cells+`]}`))
		if len(problems(root)) == 0 {
			t.Errorf("nothing is found wrong with %s", cells)
		}
	}
}
