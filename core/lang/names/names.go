// Package names has the table of the languages that cells can have: the names, titles, file extensions and signs of
// comments for all parts of the program. The table of the page is generated from it. Engines are left to package lang.
package names

import (
	"slices"
	"strings"
)

// The ids of languages with a meaning of their own.
const (
	Python = "python" // that of notebooks that name none
	SQL    = "sql"    // that of SQL cells, in any dialect
)

// Language is a language that cells can have.
type Language struct {
	ID         string   // the name in cells, engines and notebooks
	Title      string   // for people
	Aliases    []string // the other names that kernels, files and people use for it, in lower case
	Extensions []string // of the files of programs, with the dot, the usual one first
	Comment    string   // begins a comment that ends with its line
}

// languages is the table of languages. A cell can have any other language, too, if there is a kernel for it; it is shown
// as plain text.
var languages = []Language{
	{Python, "Python", []string{"py", "python3", "ipython", "ipython3", "pyspark"}, []string{".py"}, "#"},
	{"r", "R", nil, []string{".r"}, "#"},
	{"julia", "Julia", []string{"jl"}, []string{".jl"}, "#"},
	{"ruby", "Ruby", []string{"rb"}, []string{".rb"}, "#"},
	{"perl", "Perl", []string{"pl"}, []string{".pl"}, "#"},
	{"php", "PHP", nil, []string{".php"}, "//"},
	{"bash", "Bash", []string{"sh", "shell"}, []string{".sh"}, "#"},
	{"javascript", "JavaScript", []string{"js"}, []string{".js", ".mjs"}, "//"},
	{"typescript", "TypeScript", []string{"ts"}, []string{".ts"}, "//"},
	{"lua", "Lua", nil, []string{".lua"}, "--"},
	{SQL, "SQL", nil, []string{".sql"}, "--"},
	{"scheme", "Scheme", []string{"scm"}, []string{".scm", ".ss"}, ";;"},
}

// All returns the table of languages.
func All() []Language { return slices.Clone(languages) }

// Find returns the language of the table with an id or an alias, in any case, and whether there is one.
func Find(name string) (Language, bool) {
	name = strings.ToLower(name)
	i := slices.IndexFunc(languages, func(l Language) bool { return l.ID == name || slices.Contains(l.Aliases, name) })
	if i < 0 {
		return Language{}, false
	}
	return languages[i], true
}

// OfExtension returns the language of a file's extension, with its dot, in any case, and whether there is one.
func OfExtension(extension string) (Language, bool) {
	extension = strings.ToLower(extension)
	i := slices.IndexFunc(languages, func(l Language) bool { return slices.Contains(l.Extensions, extension) })
	if i < 0 {
		return Language{}, false
	}
	return languages[i], true
}

// ID returns the id of a language by any of its names: of one that is not in the table the name in lower case.
func ID(name string) string {
	if l, ok := Find(name); ok {
		return l.ID
	}
	return strings.ToLower(name)
}
