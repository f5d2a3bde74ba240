package lua

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/quirehq/quire/core/lang"
)

// bounds of what is shown of a value.
const (
	mostDepth  = 4
	mostFields = 100
	mostText   = 10_000
	lineLength = 80
	mostJSON   = 1 << 20
)

var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*$`) })

// inspect returns a value as Lua writes it, tables with their fields. It calls nothing of the user.
func inspect(value lua.LValue) string { return inspectIn(value, 0, map[*lua.LTable]bool{}) }

func inspectIn(value lua.LValue, level int, open map[*lua.LTable]bool) string {
	switch value := value.(type) {
	case lua.LString:
		text := string(value)
		if len(text) > mostText {
			return quote(text[:mostText]) + fmt.Sprintf("... (%d bytes)", len(text))
		}
		return quote(text)
	case *lua.LTable:
		if open[value] {
			return "{...}"
		}
		if level > mostDepth {
			return "{…}"
		}
		open[value] = true
		defer delete(open, value)
		return inspectTable(value, level, open)
	}
	return value.String()
}

// quote writes a text in quotes, with what does not print as decimal escapes.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\%03d`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func inspectTable(table *lua.LTable, level int, open map[*lua.LTable]bool) string {
	var parts []string
	length, more := table.Len(), 0
	for i := 1; i <= length && len(parts) < mostFields; i++ {
		parts = append(parts, inspectIn(table.RawGetInt(i), level+1, open))
	}
	more += length - len(parts)
	for _, key := range fieldsOf(table, length) {
		if len(parts) >= mostFields {
			more++
			continue
		}
		name, ok := key.(lua.LString)
		label := "[" + inspectIn(key, level+1, open) + "]"
		if ok && identifier().MatchString(string(name)) {
			label = string(name)
		}
		parts = append(parts, label+" = "+inspectIn(table.RawGet(key), level+1, open))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("... %d more", more))
	}
	line := "{" + strings.Join(parts, ", ") + "}"
	if len(line)+2*level <= lineLength && !strings.Contains(line, "\n") {
		return line
	}
	indent := "\n" + strings.Repeat("  ", level)
	return "{" + indent + "  " + strings.Join(parts, ","+indent+"  ") + indent + "}"
}

// fieldsOf returns the keys of a table besides 1 to length: sorted texts, and then others.
func fieldsOf(table *lua.LTable, length int) []lua.LValue {
	var texts, others []lua.LValue
	table.ForEach(func(key, _ lua.LValue) {
		if n, ok := key.(lua.LNumber); ok && float64(n) == math.Trunc(float64(n)) && n >= 1 && int(n) <= length {
			return
		}
		if key.Type() == lua.LTString {
			texts = append(texts, key)
		} else {
			others = append(others, key)
		}
	})
	sort.Slice(texts, func(i, j int) bool { return texts[i].String() < texts[j].String() })
	return append(texts, others...)
}

// bundleOf returns the representations of a value: its text, and JSON for a table that JSON keeps.
func bundleOf(value lua.LValue) lang.Bundle {
	b := lang.Text("text/plain", inspect(value))
	if table, ok := value.(*lua.LTable); ok {
		if encoded, err := encode(table); err == nil && len(encoded) <= mostJSON {
			b.Data["application/json"] = encoded
		}
	}
	return b
}

// represented returns a value under a type.
func represented(value lua.LValue, mime string) lang.Bundle {
	if mime == "application/json" || strings.HasSuffix(mime, "+json") {
		if encoded, err := encode(value); err == nil {
			return lang.Bundle{Data: map[string]json.RawMessage{mime: encoded}}
		}
	}
	if s, ok := value.(lua.LString); ok {
		if !strings.HasPrefix(mime, "text/") && mime != "image/svg+xml" {
			encoded, err := json.Marshal([]byte(s)) // binary types are base64
			if err == nil {
				return lang.Bundle{Data: map[string]json.RawMessage{mime: encoded}}
			}
		}
		return lang.Text(mime, string(s))
	}
	return lang.Text(mime, inspect(value))
}

// encode returns a value as JSON. What JSON does not have is an error.
func encode(value lua.LValue) (json.RawMessage, error) {
	plain, err := plainOf(value, map[*lua.LTable]bool{})
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

func plainOf(value lua.LValue, open map[*lua.LTable]bool) (any, error) {
	switch value := value.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(value), nil
	case lua.LString:
		return string(value), nil
	case lua.LNumber:
		if n := float64(value); !math.IsNaN(n) && !math.IsInf(n, 0) {
			return json.Number(strconv.FormatFloat(n, 'g', -1, 64)), nil
		}
	case *lua.LTable:
		if open[value] {
			return nil, fmt.Errorf("a table contains itself, which JSON does not have")
		}
		open[value] = true
		defer delete(open, value)
		return plainTable(value, open)
	}
	return nil, fmt.Errorf("%s is a %s, which JSON does not have", value.String(), value.Type())
}

// plainTable returns an array for a table with the keys 1 to n, and else an object, whose keys must be texts.
func plainTable(table *lua.LTable, open map[*lua.LTable]bool) (any, error) {
	length := table.Len()
	fields := fieldsOf(table, length)
	if length > 0 && len(fields) == 0 {
		list := make([]any, length)
		for i := range list {
			item, err := plainOf(table.RawGetInt(i+1), open)
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	}
	if length > 0 {
		return nil, fmt.Errorf("a table has both a list and fields, which JSON does not have")
	}
	object := map[string]any{}
	for _, key := range fields {
		name, ok := key.(lua.LString)
		if !ok {
			return nil, fmt.Errorf("a table has the key %s, and JSON has texts alone", key)
		}
		item, err := plainOf(table.RawGet(key), open)
		if err != nil {
			return nil, err
		}
		object[string(name)] = item
	}
	return object, nil
}
