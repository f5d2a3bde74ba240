package ipynb

import "strings"

// upgrade returns the cells of a notebook of nbformat 3 as those of nbformat 4, with their places in the file.
func upgrade(root node) ([]node, error) {
	sheets, err := root.nodes("worksheets")
	if err != nil {
		return nil, err
	}
	var cells []node
	for _, sheet := range sheets {
		old, err := sheet.nodes("cells")
		if err != nil {
			return nil, err
		}
		for _, c := range old {
			upgraded, err := upgradeCell(c)
			if err != nil {
				return nil, err
			}
			cells = append(cells, node{c.at, upgraded})
		}
	}
	return cells, nil
}

// upgradeRoot uses the name of a notebook of nbformat 3 as its title.
func upgradeRoot(metadata object) {
	if metadata["name"] == "" {
		delete(metadata, "name")
	}
	rename(metadata, "name", keyTitle)
}

func upgradeCell(c node) (object, error) {
	switch c.m["cell_type"] {
	case typeCode:
		return upgradeCode(c)
	case "heading":
		return upgradeHeading(c)
	case "html":
		cell := c.rest()
		cell["cell_type"] = typeMarkdown
		return cell, nil
	}
	return c.rest(), nil
}

func upgradeCode(c node) (object, error) {
	metadata, err := c.object("metadata")
	if err != nil {
		return nil, err
	}
	language, err := c.str("language")
	if err != nil {
		return nil, err
	}
	outputs, err := c.nodes("outputs")
	if err != nil {
		return nil, err
	}
	if err := checkOld(c); err != nil {
		return nil, err
	}
	cell := c.rest("language", "collapsed", "outputs")
	rename(cell, "input", "source")
	rename(cell, "prompt_number", "execution_count")
	if v, ok := c.m["collapsed"]; ok {
		metadata.m["collapsed"] = v
	}
	if language = strings.ToLower(language); language != "" && language != "python" {
		setIn(metadata.m, keyQuire, keyLanguage, language)
	}
	list := make([]any, len(outputs))
	for i, o := range outputs {
		list[i] = upgradeOutput(o)
	}
	cell["metadata"], cell["outputs"] = metadata.m, list
	return cell, nil
}

// checkOld checks the members that will be renamed, while an error can still name those of the file.
func checkOld(c node) error {
	if _, err := c.text("input"); err != nil {
		return err
	}
	_, err := c.count("prompt_number")
	return err
}

// upgradeHeading makes Markdown of a heading cell, a type that nbformat 4 does not have.
func upgradeHeading(c node) (object, error) {
	source, err := c.text("source")
	if err != nil {
		return nil, err
	}
	level, err := c.count("level")
	if err != nil {
		return nil, err
	}
	cell := c.rest("level")
	cell["cell_type"] = typeMarkdown
	cell["source"] = strings.Repeat("#", min(max(level, 1), 6)) + " " + strings.Join(strings.FieldsFunc(source, endsLine), " ")
	return cell, nil
}

func upgradeOutput(o node) object {
	switch o.m["output_type"] {
	case "pyout":
		out := upgradeData(o, typeResult)
		if v, ok := o.m["prompt_number"]; ok {
			out["execution_count"] = v
		}
		return out
	case typeDisplay:
		return upgradeData(o, typeDisplay)
	case "pyerr":
		out := o.rest("output_type")
		out["output_type"] = typeError
		return out
	case typeStream:
		out := o.rest()
		rename(out, "stream", "name")
		return out
	}
	return o.rest()
}

// upgradeData returns a display or result, whose data nbformat 3 has among its other members, under short names.
func upgradeData(o node, outputType string) object {
	data := object{}
	for key, v := range o.rest("output_type", "prompt_number", "metadata") {
		mime := mimeOf(key)
		if mime == "application/json" {
			v = parsed(v)
		}
		data[mime] = v
	}
	out := object{"output_type": outputType, "data": data}
	if v, ok := o.m["metadata"]; ok {
		out["metadata"] = v
	}
	if old, ok := o.m["metadata"].(object); ok {
		metadata := make(object, len(old))
		for key, v := range old {
			metadata[mimeOf(key)] = v
		}
		out["metadata"] = metadata
	}
	return out
}

// parsed returns the JSON value that nbformat 3 has as text.
func parsed(v any) any {
	s, ok := joined(v)
	if !ok {
		return v
	}
	value, err := decode([]byte(s))
	if err != nil || tooDeep(value, maxDepth/2) {
		return s
	}
	return value
}

// mimeOf returns the MIME type for a short name of nbformat 3.
func mimeOf(key string) string {
	switch key {
	case "text":
		return mimePlain
	case "html", "latex":
		return "text/" + key
	case "svg":
		return "image/svg+xml"
	case "png", "jpeg":
		return "image/" + key
	case "json", "javascript":
		return "application/" + key
	}
	return key
}

// rename renames a member, if it exists.
func rename(m object, from, to string) {
	if v, ok := m[from]; ok {
		delete(m, from)
		m[to] = v
	}
}
