package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// GopherLua writes numbers and formats as Go does. The functions here write them as Lua 5.1 does, by the reference manual
// (§2.2.1 and string.format). The operator .. and table.concat are of the machine itself and keep Go's form.

// numberText returns a number with at most 14 significant digits, the form of tostring.
func numberText(n lua.LNumber) string {
	return floatText(float64(n), 'g', 14)
}

// floatText is strconv.FormatFloat with the names that C has for values that are not finite.
func floatText(f float64, verb byte, precision int) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return strconv.FormatFloat(f, verb, precision, 64)
}

// valueText returns the text of a value as tostring does, by its metatable if that says how.
func valueText(l *lua.LState, v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return numberText(n)
	}
	return l.ToStringMeta(v).String()
}

// format is string.format.
func format(l *lua.LState) int {
	template, next := l.CheckString(1), 1
	var out strings.Builder
	for template != "" {
		before, after, found := strings.Cut(template, "%")
		out.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(after, "%") {
			out.WriteByte('%')
			template = after[1:]
			continue
		}
		var d directive
		d, template = parseDirective(l, after)
		next++
		out.WriteString(d.text(l, next))
		if out.Len() > mostString {
			l.RaiseError("resulting string too large: a string may have %d MiB in one step", mostString>>20)
		}
	}
	l.Push(lua.LString(out.String()))
	return 1
}

// directive is one % of a format.
type directive struct {
	flags     string
	width     int
	precision int // -1 if there is none
	verb      byte
}

// parseDirective parses the text behind a %, and returns the text behind the directive. Width and precision have at most
// two digits.
func parseDirective(l *lua.LState, s string) (d directive, rest string) {
	d.precision = -1
	rest = strings.TrimLeft(s, "-+ #0")
	d.flags = s[:len(s)-len(rest)]
	if len(d.flags) > 5 {
		l.RaiseError("invalid format (repeated flags)")
	}
	d.width, rest = leadingNumber(l, rest)
	if strings.HasPrefix(rest, ".") {
		d.precision, rest = leadingNumber(l, rest[1:])
	}
	if rest == "" {
		l.RaiseError("invalid option '%s' to 'format'", "%"+s)
	}
	d.verb = rest[0]
	if !strings.ContainsRune("cdiouxXeEfgGqs", rune(d.verb)) {
		l.RaiseError("invalid option '%%%s' to 'format'", s[:len(s)-len(rest)+1])
	}
	return d, rest[1:]
}

func leadingNumber(l *lua.LState, s string) (n int, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	digits := s[:len(s)-len(rest)]
	if len(digits) > 2 {
		l.RaiseError("invalid format (width or precision too long)")
	}
	n, _ = strconv.Atoi(digits)
	return n, rest
}

// text formats the argument at a position.
func (d directive) text(l *lua.LState, arg int) string {
	switch d.verb {
	case 'q':
		return quoted(l.CheckString(arg))
	case 's':
		text := valueText(l, l.CheckAny(arg))
		if d.precision >= 0 {
			text = text[:min(d.precision, len(text))]
		}
		return d.padded(text)
	case 'c':
		return d.padded(string([]byte{byte(int64(l.CheckNumber(arg)))}))
	case 'd', 'i':
		return d.sprint("d", d.flags, int64(l.CheckNumber(arg)))
	case 'u':
		return d.sprint("d", unsigned(d.flags), uint64(int64(l.CheckNumber(arg))))
	case 'o', 'x', 'X':
		return d.sprint(string(d.verb), unsigned(d.flags), uint64(int64(l.CheckNumber(arg))))
	}
	f := float64(l.CheckNumber(arg))
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := floatText(f, 'g', -1)
		if strings.Contains(d.flags, "+") && !strings.HasPrefix(text, "-") {
			text = "+" + text
		}
		if d.verb == 'E' || d.verb == 'G' {
			text = strings.ToUpper(text)
		}
		return d.padded(text)
	}
	if d.precision < 0 {
		d.precision = 6 // as in C
	}
	return d.sprint(string(d.verb), d.flags, f)
}

// sprint formats a number by package fmt, whose verbs, flags, width and precision of numbers mean the same as in C.
func (d directive) sprint(verb, flags string, n any) string {
	spec := "%" + flags
	if d.width > 0 {
		spec += strconv.Itoa(d.width)
	}
	if d.precision >= 0 {
		spec += "." + strconv.Itoa(d.precision)
	}
	return fmt.Sprintf(spec+verb, n)
}

// unsigned drops the flags that mean nothing for a number without a sign.
func unsigned(flags string) string {
	return strings.NewReplacer("+", "", " ", "").Replace(flags)
}

// padded fills a text with spaces to the width, in bytes.
func (d directive) padded(text string) string {
	space := strings.Repeat(" ", max(d.width-len(text), 0))
	if strings.Contains(d.flags, "-") {
		return text + space
	}
	return space + text
}

// quoted returns a string as a literal that Lua reads back.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`).Replace(s) + `"`
}
