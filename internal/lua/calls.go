package lua

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode/utf16"

	lua "github.com/yuin/gopher-lua"

	"github.com/quirehq/quire/core/lang"
)

// keywords are those of Lua 5.1, and goto.
func keywords() []string {
	return strings.Fields("and break do else elseif end false for function goto if in local nil not or repeat return then true until while")
}

// Variables implements lang.VariableLister.
func (in *Interpreter) Variables(context.Context) ([]lang.Variable, error) {
	var list []lang.Variable
	in.state.G.Global.ForEach(func(key, value lua.LValue) {
		name, ok := key.(lua.LString)
		if !ok || in.builtIn[string(name)] || string(name) == resultName {
			return
		}
		v := lang.Variable{Name: string(name), Type: value.Type().String(), Preview: preview(value)}
		if table, ok := value.(*lua.LTable); ok && table.Len() > 0 {
			v.Shape = fmt.Sprintf("%d items", table.Len())
		}
		list = append(list, v)
	})
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, nil
}

// preview returns a value in one short line.
func preview(value lua.LValue) string {
	const most = 120
	text := []rune(strings.Join(strings.Fields(inspect(value)), " "))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}

// pathBefore matches a path of names at the end of a text.
var pathBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:([A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*)[.:])?([A-Za-z_]\w*)?$`)
})

// Complete implements lang.Completer.
func (in *Interpreter) Complete(_ context.Context, at lang.Place) (lang.Completion, error) {
	before, _ := split(at)
	m := pathBefore().FindStringSubmatch(before)
	path, begun := m[1], m[2]
	end := len(utf16.Encode([]rune(before)))
	c := lang.Completion{Start: end - len(begun), End: end, Items: []lang.Candidate{}}
	rest := strings.TrimSuffix(before, m[0])
	if path == "" && (strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, ":")) {
		return c, nil
	}
	table, ok := in.lookUp(path).(*lua.LTable)
	if _, isText := in.lookUp(path).(lua.LString); isText {
		table, ok = in.state.GetGlobal("string").(*lua.LTable)
	}
	if !ok {
		return c, nil
	}
	for seen := 0; table != nil && seen < 10; seen++ {
		table.ForEach(func(key, value lua.LValue) {
			if name, ok := key.(lua.LString); ok && strings.HasPrefix(string(name), begun) && identifier().MatchString(string(name)) {
				c.Items = append(c.Items, lang.Candidate{Text: string(name), Kind: value.Type().String()})
			}
		})
		meta, _ := table.Metatable.(*lua.LTable)
		table = nil
		if meta != nil {
			table, _ = meta.RawGetString("__index").(*lua.LTable)
		}
	}
	if path == "" {
		for _, word := range keywords() {
			if strings.HasPrefix(word, begun) {
				c.Items = append(c.Items, lang.Candidate{Text: word, Kind: "keyword"})
			}
		}
	}
	sort.SliceStable(c.Items, func(i, j int) bool { return c.Items[i].Text < c.Items[j].Text })
	return c, nil
}

// lookUp returns the value of a path of names without calling anything; the globals for an empty one.
func (in *Interpreter) lookUp(path string) lua.LValue {
	var value lua.LValue = in.state.G.Global
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == ':' }) {
		table, ok := value.(*lua.LTable)
		if !ok {
			return lua.LNil
		}
		value = table.RawGetString(name)
	}
	return value
}

// nameAfter matches the rest of a name.
var nameAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w*`) })

// Inspect implements lang.Inspector: it finds functions with the comment above them, and values.
func (in *Interpreter) Inspect(_ context.Context, at lang.Place) (lang.Inspection, error) {
	before, after := split(at)
	before = strings.TrimSuffix(before+nameAfter().FindString(after), "(")
	path := strings.TrimRight(pathBefore().FindString(before), ".:")
	if path == "" {
		return lang.Inspection{}, nil
	}
	value := in.lookUp(path)
	f, ok := value.(*lua.LFunction)
	switch {
	case value == lua.LNil:
		return lang.Inspection{}, nil
	case !ok:
		return lang.Inspection{Found: true, Signature: path + ": " + value.Type().String(), Data: lang.Text("text/plain", inspect(value)).Data}, nil
	case f.IsG:
		return lang.Inspection{Found: true, Signature: "function " + path + "(...)", Data: lang.Text("text/plain", "built in").Data}, nil
	}
	signature := "function " + path + "(" + strings.Join(parametersOf(f.Proto), ", ") + ")"
	return lang.Inspection{Found: true, Signature: signature, Data: lang.Text("text/plain", in.commentOf(f.Proto)).Data}, nil
}

func parametersOf(proto *lua.FunctionProto) []string {
	var names []string
	for i := range int(proto.NumParameters) {
		if i < len(proto.DbgLocals) {
			names = append(names, proto.DbgLocals[i].Name)
		}
	}
	if proto.IsVarArg&lua.VarArgIsVarArg != 0 {
		names = append(names, "...")
	}
	return names
}

// commentOf returns the comment lines above a function, or its source.
func (in *Interpreter) commentOf(proto *lua.FunctionProto) string {
	lines := strings.Split(in.sources[proto.SourceName], "\n")
	if proto.LineDefined < 1 || proto.LineDefined > len(lines) {
		return ""
	}
	first := proto.LineDefined - 1
	for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "--") {
		first--
	}
	return strings.Join(lines[first:min(max(proto.LastLineDefined, first+1), len(lines))], "\n")
}

// split splits a source at its cursor.
func split(at lang.Place) (before, after string) {
	units := utf16.Encode([]rune(at.Source))
	cursor := min(max(at.Cursor, 0), len(units))
	return string(utf16.Decode(units[:cursor])), string(utf16.Decode(units[cursor:]))
}

// Get implements engineproto.Accessor.
func (in *Interpreter) Get(_ context.Context, name string) (json.RawMessage, error) {
	value := in.state.G.Global.RawGetString(name)
	if value == lua.LNil {
		return nil, fmt.Errorf("there is no global variable %s", name)
	}
	encoded, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return encoded, nil
}

// Set implements engineproto.Accessor.
func (in *Interpreter) Set(_ context.Context, name string, value json.RawMessage) error {
	if !identifier().MatchString(name) {
		return fmt.Errorf("%s is no name of a variable", name)
	}
	var plain any
	if err := json.Unmarshal(value, &plain); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	in.state.G.Global.RawSetString(name, in.valueOf(plain))
	return nil
}

// valueOf returns the value of Lua for one of JSON. A null in a list is false: a list of Lua has no holes.
func (in *Interpreter) valueOf(plain any) lua.LValue {
	switch plain := plain.(type) {
	case bool:
		return lua.LBool(plain)
	case float64:
		return lua.LNumber(plain)
	case string:
		return lua.LString(plain)
	case []any:
		table := in.state.NewTable()
		for _, item := range plain {
			if item == nil {
				item = false
			}
			table.Append(in.valueOf(item))
		}
		return table
	case map[string]any:
		table := in.state.NewTable()
		for name, item := range plain {
			table.RawSetString(name, in.valueOf(item))
		}
		return table
	}
	return lua.LNil
}
