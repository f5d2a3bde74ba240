package lang

import (
	"slices"
	"strings"
)

// Lack names a resource that a program could not have, so that a host can name the limit or the wall behind it.
type Lack string

// What programs lack.
const (
	LackMemory    Lack = "memory"
	LackCPU       Lack = "cpu"       // processor time
	LackFileSize  Lack = "file-size" // a longer file
	LackDisk      Lack = "disk"      // room for more files
	LackFiles     Lack = "files"     // an open file
	LackProcesses Lack = "processes" // a process or a thread
	LackNetwork   Lack = "network"
	LackPackages  Lack = "packages" // an installer failed, and does not say why
	LackAccess    Lack = "access"   // a file or a module that it does not find, or may not use
)

// LackOfText returns the lack of a program by the text of an error, which is all that some protocols have of one. It knows
// the texts of the C library, which languages pass on; an engine adds those of its own language, and one that has
// numbers and types uses those.
func LackOfText(message string) Lack {
	message = strings.ToLower(message)
	for lack, texts := range systemTexts {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(message, text) }) {
			return lack
		}
	}
	return ""
}

// systemTexts are texts of errors of the C library, in lower case. Each lack has texts of its own, so that their order does
// not matter.
var systemTexts = map[Lack][]string{
	LackMemory:  {"cannot allocate"},
	LackNetwork: {"name resolution", "name or service not known", "network is unreachable"},
}
