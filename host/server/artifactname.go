package server

import (
	"mime"
	"path"
	"strings"
	"unicode"
)

// dispositionOf returns a Content-Disposition for a file that somebody gave a name,
// or nobody did.
func dispositionOf(shown bool, name string) string {
	how := "attachment"
	if shown {
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": artifactName(name)})
}

// maxEnding is how long the end of a name behind its last dot may be to be one.
const maxEnding = 12

// artifactName returns a name for a file as people read it: of a path the last part,
// without what reorders or hides letters, and not too long, with its ending kept.
func artifactName(name string) string {
	name = strings.ToValidUTF8(name, "")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(visible, name))
	ending := path.Ext(name)
	if len(ending) > maxEnding || strings.ContainsFunc(strings.TrimPrefix(ending, "."), notPlain) {
		ending = ""
	}
	stem := strings.TrimSuffix(name, ending)
	if strings.Trim(stem, " .-") == "" {
		return "artifact" + strings.TrimSuffix(ending, ".")
	}
	return fileName(stem) + strings.TrimSuffix(ending, ".")
}

// visible drops what is not printed: controls, line ends, marks that turn the
// direction, private letters.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}

func notPlain(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
