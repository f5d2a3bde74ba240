package plain

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang/names"
)

// python is the language of notebooks and programs that name none.
const python = names.Python

// Script has the syntax of programs in one language.
type Script struct {
	Language  string // the name that cells use, such as "python"
	Extension string // of its files, with the dot
	comment   string // begins a comment that ends with its line
}

// noProgram are the languages whose files are not read and written as notebooks, each with the reason.
var noProgram = map[string]string{"php": "a file of PHP is text up to <?php, and cells are code from their start"}

// scripts has the syntax of each extension of the languages in which a notebook can be written as a program.
var scripts = allScripts()

func allScripts() []Script {
	var all []Script
	for _, l := range names.All() {
		if noProgram[l.ID] != "" {
			continue
		}
		for _, extension := range l.Extensions {
			all = append(all, Script{l.ID, extension, l.Comment})
		}
	}
	return all
}

// Python is the syntax of programs in Python.
var Python = scripts[0]

// ScriptOf returns the syntax of the programs with a file extension, such as .py, and whether there are such. Case
// does not matter.
func ScriptOf(extension string) (Script, bool) {
	i := slices.IndexFunc(scripts, func(s Script) bool { return s.Extension == strings.ToLower(extension) })
	if i < 0 {
		return Script{}, false
	}
	return scripts[i], true
}

// Extensions returns the extensions of programs.
func Extensions() []string {
	var all []string
	for _, s := range scripts {
		all = append(all, s.Extension)
	}
	return all
}

// commented comments out the lines of a text that is not code. A line that would begin a cell gets a backslash before
// its percent signs, which has no meaning in Markdown. After every character that may end a comment in some language, a
// new comment begins.
func (s Script) commented(text string) string {
	if text == "" {
		return ""
	}
	return eachComment(text, func(line string) string {
		if at := hiddenMarker.FindStringSubmatchIndex(line); at != nil {
			line = line[:at[2]] + `\` + line[at[2]:]
		}
		if line == "" {
			return s.comment
		}
		return s.comment + " " + line
	})
}

// uncommented is the inverse of commented. A line that is not a comment stays.
func (s Script) uncommented(text string) string {
	return eachComment(text, func(line string) string {
		line, ok := strings.CutPrefix(line, s.comment)
		if !ok {
			return line
		}
		line = strings.TrimPrefix(line, " ")
		if at := hiddenMarker.FindStringSubmatchIndex(line); at != nil && at[2] < at[3] {
			line = line[:at[2]] + line[at[2]+1:]
		}
		return line
	})
}

// terminators are the characters besides line feed and carriage return that end a line for the parser of some language,
// or for a program that reads notebooks: U+2028 and U+2029 in JavaScript, U+0085 too in Scheme, and all of them in
// Python's str.splitlines, with which Jupytext cuts a file.
const terminators = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// eachComment changes every piece of a text that ends a comment in some language. So a commented text is a comment as a
// whole, and is read back unchanged.
func eachComment(s string, change func(string) string) string {
	return eachLine(s, func(line string) string {
		var b strings.Builder
		for {
			i := strings.IndexAny(line, terminators)
			if i < 0 {
				b.WriteString(change(line))
				return b.String()
			}
			_, size := utf8.DecodeRuneInString(line[i:])
			b.WriteString(change(line[:i]) + line[i:i+size])
			line = line[i+size:]
		}
	})
}
