package transfer

import (
	"mime"
	"path"
	"strings"
	"unicode"
)

// Disposition returns the Content-Disposition of a file, which a browser may show or must save.
// The name is the one that a client gave to the file, and may be empty.
func Disposition(shown bool, name string) string {
	how := "attachment"
	if shown {
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": FileName(name)})
}

// maxEnding is the length up to which the part of a name behind its last dot counts as its ending.
const maxEnding = 12

// FileName returns a safe name for a file that a client gave a name: the last part of a path,
// with its ending, without characters that reorder or hide others, and of bounded length.
func FileName(name string) string {
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
	return TitleName(stem) + strings.TrimSuffix(ending, ".")
}

// visible drops characters that are not printed: controls, line ends, marks that turn the
// direction, private letters.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}

func notPlain(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// maxTitleName is the number of characters of a title that name a file.
const maxTitleName = 100

// TitleName returns the name of a file, without its ending, for a title: it is no path, not
// hidden, and has no character that an operating system refuses or that turns the direction.
func TitleName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, title)
	if runes := []rune(name); len(runes) > maxTitleName {
		name = string(runes[:maxTitleName])
	}
	name = strings.Trim(name, " .-")
	if name == "" {
		return "notebook"
	}
	return name
}
