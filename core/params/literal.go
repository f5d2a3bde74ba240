package params

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Numbers as Python's int and float read them.
const digits = `\d+(?:_\d+)*`

var (
	wholeNumber = regexp.MustCompile(`^[+-]?` + digits + `$`)
	realNumber  = regexp.MustCompile(`^[+-]?(?:` + digits + `(?:\.(?:` + digits + `)?)?|\.` + digits + `)(?:[eE][+-]?` + digits + `)?$`)
	noNumber    = regexp.MustCompile(`(?i)^[+-]?(?:nan|inf|infinity)$`)
)

// pythonValue returns the Python literal of what stands on a command line: the
// names of the constants, in the spelling of Python or JSON, and numbers are what
// they say, and all else is text.
func pythonValue(s string) string {
	switch s {
	case "True", "true":
		return "True"
	case "False", "false":
		return "False"
	case "None", "null":
		return "None"
	}
	switch {
	case wholeNumber.MatchString(s):
		n, _ := new(big.Int).SetString(strings.ReplaceAll(s, "_", ""), 10)
		return n.String() // a literal may not begin with 0
	case realNumber.MatchString(s):
		return s
	case noNumber.MatchString(s):
		return `float("` + s + `")`
	}
	return pythonText(s)
}

// pythonText returns the Python literal of a text, in one line that can be read.
func pythonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// jsonValue returns as JSON what [pythonValue] makes of a text. What JSON has no number for
// is a text.
func jsonValue(s string) json.RawMessage {
	switch literal := pythonValue(s); literal {
	case "True":
		return json.RawMessage("true")
	case "False":
		return json.RawMessage("false")
	case "None":
		return json.RawMessage("null")
	default:
		if !realNumber.MatchString(literal) {
			return jsonText(s)
		}
		if wholeNumber.MatchString(literal) {
			return json.RawMessage(literal)
		}
		f, err := strconv.ParseFloat(strings.ReplaceAll(literal, "_", ""), 64)
		data, unfit := json.Marshal(f)
		if err != nil || unfit != nil { // it is infinite to Python, too
			return jsonText(s)
		}
		return data
	}
}

// jsonText returns a text as JSON.
func jsonText(s string) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a string there is none
	}
	return data
}

// pythonJSON returns the Python literal of the next value of a decoder that uses
// numbers as they are written. Members keep their order.
func pythonJSON(dec *json.Decoder) (string, error) {
	token, err := dec.Token()
	if err != nil {
		return "", err
	}
	switch v := token.(type) {
	case json.Delim:
		return pythonItems(dec, v)
	case json.Number:
		return v.String(), nil
	case string:
		return pythonText(v), nil
	case bool:
		if v {
			return "True", nil
		}
		return "False", nil
	}
	return "None", nil
}

// pythonItems returns the literal of the list or object that was opened.
func pythonItems(dec *json.Decoder, opened json.Delim) (string, error) {
	var items []string
	for dec.More() {
		item, err := pythonJSON(dec)
		if err == nil && opened == '{' {
			var value string
			value, err = pythonJSON(dec)
			item += ": " + value
		}
		if err != nil {
			return "", err
		}
		items = append(items, item)
	}
	closed, err := dec.Token()
	if err != nil {
		return "", err
	}
	return opened.String() + strings.Join(items, ", ") + closed.(json.Delim).String(), nil
}

// Read reads parameters from JSON: an object with a member for each. A value that is not JSON is a
// [json.SyntaxError].
func Read(data []byte) (List, error) {
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, syntax
	}
	all, err := members(json.NewDecoder(bytes.NewReader(data)))
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if err := checkName(p.Name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func members(dec *json.Decoder) (List, error) {
	opened, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if opened != json.Delim('{') {
		return nil, errors.New("want an object with a member for each parameter")
	}
	var all List
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		inner := json.NewDecoder(bytes.NewReader(value))
		inner.UseNumber()
		literal, err := pythonJSON(inner)
		if err != nil {
			return nil, err
		}
		all.Set(Param{name.(string), literal, value}) // the name of a member is text
	}
	_, err = dec.Token()
	return all, err
}
