package plain

import (
	"slices"
	"strings"
)

// python is the language of notebooks and programs that name none.
const python = "python"

// Script says how the programs of one language are written.
type Script struct {
	Language  string // the name that cells use, such as "python"
	Extension string // of its files, with the dot
	comment   string // what begins a comment that ends with its line
}

// scripts is the table of languages that a notebook can be written in as a program.
// An extension of the same language comes behind the usual one.
var scripts = []Script{
	{python, ".py", "#"},
	{"r", ".r", "#"},
	{"julia", ".jl", "#"},
	{"ruby", ".rb", "#"},
	{"perl", ".pl", "#"},
	{"bash", ".sh", "#"},
	{"javascript", ".js", "//"},
	{"javascript", ".mjs", "//"},
	{"typescript", ".ts", "//"},
	{"lua", ".lua", "--"},
	{"sql", ".sql", "--"},
	{"scheme", ".scm", ";;"},
	{"scheme", ".ss", ";;"},
}

// Python is how programs in Python are written.
var Python = scripts[0]

// ScriptOf returns how the program is written that a file with an extension, such
// as .py, holds, and whether there is such a language. Case does not matter.
func ScriptOf(extension string) (Script, bool) {
	i := slices.IndexFunc(scripts, func(s Script) bool { return s.Extension == strings.ToLower(extension) })
	if i < 0 {
		return Script{}, false
	}
	return scripts[i], true
}

// Languages returns the languages of the table, each once.
func Languages() []string {
	var names []string
	for _, s := range scripts {
		if !slices.Contains(names, s.Language) {
			names = append(names, s.Language)
		}
	}
	return names
}

// Extensions returns the extensions of the table.
func Extensions() []string {
	var all []string
	for _, s := range scripts {
		all = append(all, s.Extension)
	}
	return all
}

// commented makes comments of the lines of a text that is no code. A line that would
// be taken for the beginning of a cell gets a backslash before its percent signs,
// which in Markdown stands for nothing. Whatever may end a comment in some language has
// a comment behind it.
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

// uncommented is the contrary of commented. A line that is no comment stays.
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
