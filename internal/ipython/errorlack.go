package ipython

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/lang"
)

// InstallError is the name of the error of a magic that has installed nothing, such as %pip.
const InstallError = "InstallError"

// LackOf returns the lack of a program of Python by the name and the text of its error, which is all that the protocol of
// kernels has of one.
func LackOf(name, message string) lang.Lack {
	switch {
	case strings.HasSuffix(name, "MemoryError"):
		return lang.LackMemory
	case name == InstallError:
		return lang.LackPackages
	case strings.Contains(message, "can't start new thread"):
		return lang.LackProcesses
	}
	if found := errorNumber().FindStringSubmatch(message); found != nil {
		number, _ := strconv.Atoi(found[1]) // a number that does not fit is none of these
		if known, ok := lackOfNumber[number]; ok && strings.HasSuffix(name, known.name) {
			return known.lack
		}
	}
	if lack := lang.LackOfText(message); lack != "" {
		return lack
	}
	for _, known := range []string{"FileNotFoundError", "PermissionError", "ModuleNotFoundError"} {
		if strings.HasSuffix(name, known) {
			return lang.LackAccess
		}
	}
	return ""
}

// errorNumber matches the number of the system in the text of an OSError.
var errorNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[Errno (-?\d+)\]`) })

// lackOfNumber has Linux's numbers of errors, EFBIG, EMFILE, EAGAIN, ENETUNREACH, EAI_NONAME and EAI_AGAIN, with the end of
// the name of Python's error. Libraries wrap those of a network in errors of any name.
var lackOfNumber = map[int]struct {
	lack lang.Lack
	name string
}{
	27: {lang.LackFileSize, "OSError"}, 24: {lang.LackFiles, "OSError"}, 11: {lang.LackProcesses, "BlockingIOError"},
	101: {lang.LackNetwork, ""}, -2: {lang.LackNetwork, ""}, -3: {lang.LackNetwork, ""},
}
