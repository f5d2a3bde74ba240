package sqlcell

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// resource is a table in the form of application/vnd.dataresource+json, a tabular data resource of Frictionless Data as
// nteract and JupyterLab show it.
type resource struct {
	Schema resourceSchema  `json:"schema"`
	Data   json.RawMessage `json:"data"`

	rows int64
}

type resourceSchema struct {
	Fields []resourceField `json:"fields"`
}

type resourceField struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Format string `json:"format,omitempty"`
}

// formatBinary is the format of a string that is bytes in base64.
const formatBinary = "binary"

// resource returns the table with its schema. Columns of one name get different ones.
func (t *table) resource() (resource, error) {
	names := t.keys()
	r := resource{Schema: resourceSchema{Fields: make([]resourceField, len(names))}, rows: int64(len(t.rows))}
	for i, name := range names {
		r.Schema.Fields[i] = resourceField{Name: name, Type: t.typeOf(i)}
		if t.binary && t.isBinary(i) {
			r.Schema.Fields[i].Format = formatBinary
		}
	}
	var err error
	r.Data, err = t.records()
	return r, err
}

// records returns the rows as a list of objects.
func (t *table) records() (json.RawMessage, error) {
	keys := make([][]byte, len(t.columns))
	for i, name := range t.keys() {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	numbers, binary := make([]bool, len(t.columns)), make([]bool, len(t.columns))
	for i := range numbers {
		numbers[i], binary[i] = t.fitsNumbers(i), t.binary && t.isBinary(i)
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for n, row := range t.rows {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for i, c := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(keys[i])
			b.WriteByte(':')
			if binary[i] && c.kind == kindBlob {
				c = c.base64()
			}
			value, err := c.json(numbers[i])
			if err != nil {
				return nil, err
			}
			b.Write(value)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// keys returns the names of the columns, each once: a later one of the same name gets a number.
func (t *table) keys() []string {
	given, taken := map[string]bool{}, map[string]bool{}
	for _, c := range t.columns {
		given[c.name] = true
	}
	keys := make([]string, len(t.columns))
	for i, c := range t.columns {
		name := c.name
		for n := 2; taken[name]; n++ {
			if other := c.name + "_" + strconv.Itoa(n); !given[other] {
				name = other
			}
		}
		taken[name], keys[i] = true, name
	}
	return keys
}

// fitsNumbers reports whether each number of a column is the same number as a float64: if not, all are texts.
func (t *table) fitsNumbers(i int) bool {
	for _, row := range t.rows {
		switch c := row[i]; c.kind {
		case kindInteger:
			if !isSafe(c.text) {
				return false
			}
		case kindNumber:
			v, err := strconv.ParseFloat(c.text, 64)
			if !isNumber(c.text) || err != nil || t.columns[i].isDecimal() && !isExact(c.text, v) {
				return false
			}
		}
	}
	return true
}

// isBinary reports whether all values of a column are blobs.
func (t *table) isBinary(i int) bool {
	some := false
	for _, row := range t.rows {
		switch row[i].kind {
		case kindBlob:
			some = true
		case kindNull:
		default:
			return false
		}
	}
	return some
}

// base64 returns a blob as text in base64.
func (c cell) base64() cell {
	b, err := hex.DecodeString(c.text)
	if err != nil {
		return c
	}
	return cell{kind: kindText, text: base64.StdEncoding.EncodeToString(b)}
}

// isDecimal reports whether the numbers of a column are exact decimals.
func (c column) isDecimal() bool { return c.kind == kindNumber && c.exact }

// typeOf returns the type of a column in the schema.
func (t *table) typeOf(i int) string {
	found := t.columns[i].kind
	for _, row := range t.rows {
		k := row[i].kind
		switch {
		case k == kindNull || k == found:
		case found == kindNull:
			found = k
		case found == kindInteger && k == kindNumber, found == kindNumber && k == kindInteger:
			found = kindNumber
		default:
			return "any"
		}
	}
	switch found {
	case kindInteger:
		return "integer"
	case kindNumber:
		return "number"
	case kindBool:
		return "boolean"
	case kindJSON:
		return "any"
	case kindArray:
		return "array"
	case kindDate:
		return "date"
	case kindTime:
		return "time"
	case kindDateTime:
		return "datetime"
	case kindNull:
		return "any"
	}
	return "string"
}

// json returns the value as JSON.
func (c cell) json(numbers bool) (json.RawMessage, error) {
	switch {
	case c.kind == kindNull:
		return json.RawMessage("null"), nil
	case (c.kind == kindInteger || c.kind == kindNumber) && numbers:
		return json.RawMessage(c.text), nil
	case c.kind == kindBool:
		return json.RawMessage(strconv.FormatBool(c.text == "true")), nil
	case c.kind == kindJSON && !c.cut && json.Valid([]byte(c.text)):
		return json.RawMessage(c.text), nil
	case c.kind == kindArray && !c.cut:
		if list, ok := arrayJSON(c.text); ok {
			return list, nil
		}
	case c.kind == kindBlob || c.cut:
		return json.Marshal(c.label())
	}
	return json.Marshal(c.text)
}

// arrayJSON returns an array of PostgreSQL as JSON, and whether it is one. Elements are texts unless they are numbers or
// NULL without quotes. Bounds before the braces are dropped.
func arrayJSON(text string) (json.RawMessage, bool) {
	if strings.HasPrefix(text, "[") {
		_, text, _ = strings.Cut(text, "=")
	}
	var out bytes.Buffer
	rest, ok := arrayElements(text, &out)
	if !ok || rest != "" || !json.Valid(out.Bytes()) {
		return nil, false
	}
	return out.Bytes(), true
}

// arrayElements reads an array at the start of a text and returns the rest. It has no recursion, since an array may
// nest as deep as its text is long.
func arrayElements(text string, out *bytes.Buffer) (rest string, ok bool) {
	depth := 0
	for text != "" {
		switch text[0] {
		case '{':
			depth++
			out.WriteByte('[')
			text = text[1:]
		case '}':
			depth--
			out.WriteByte(']')
			text = text[1:]
			if depth == 0 {
				return text, true
			}
		case ',':
			out.WriteByte(',')
			text = text[1:]
		default:
			if depth == 0 {
				return text, false
			}
			text = arrayElement(text, out)
		}
	}
	return text, false
}

// arrayElement reads one element that is no array, and returns the rest.
func arrayElement(text string, out *bytes.Buffer) (rest string) {
	var value strings.Builder
	quoted := text[0] == '"'
	i := 0
	if quoted {
		i = 1
	}
	for ; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		} else if quoted && text[i] == '"' {
			i++
			break
		} else if !quoted && (text[i] == ',' || text[i] == '}') {
			break
		}
		value.WriteByte(text[i])
	}
	switch v := value.String(); {
	case !quoted && v == "NULL":
		out.WriteString("null")
	case !quoted && isNumber(v) && (isSafe(v) || strings.Contains(v, ".")):
		out.WriteString(v)
	default:
		out.Write(jsonText(strings.ToValidUTF8(v, "\uFFFD")))
	}
	return text[i:]
}
