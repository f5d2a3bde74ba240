package lang

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Lack names what a program could not have, so that a host can name the limit or the wall behind it.
type Lack string

// What programs lack.
const (
	LackMemory    Lack = "memory"
	LackCPU       Lack = "cpu"       // processor time
	LackFileSize  Lack = "file-size" // a longer file
	LackFiles     Lack = "files"     // an open file
	LackProcesses Lack = "processes" // a process or a thread
	LackNetwork   Lack = "network"
	LackPackages  Lack = "packages" // an installer failed, and does not say why
)

// Names of errors that are codes of the engines: of the limit of processor time, and of an installer that failed.
const (
	CPULimitExceeded = "CPULimitExceeded"
	InstallError     = "InstallError"
)

// LackOf returns what a program lacked by the name and the text of its error, which is all that the protocol of kernels
// has of one. It is the one place that knows the texts of C libraries and languages; an engine that has numbers and types
// uses those.
func LackOf(name, message string) Lack {
	switch {
	case strings.HasSuffix(name, "MemoryError"):
		return LackMemory
	case name == CPULimitExceeded:
		return LackCPU
	case name == InstallError:
		return LackPackages
	}
	if found := errorNumber.FindStringSubmatch(message); found != nil {
		number, _ := strconv.Atoi(found[1]) // a number that does not fit is none of these
		if lack, ok := lackOfNumber[number]; ok && (lack == LackNetwork || strings.HasSuffix(name, lack.error())) {
			return lack
		}
	}
	for lack, texts := range foreignTexts {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(message), text) }) {
			return lack
		}
	}
	return ""
}

// errorNumber matches the number of the system in the text of an OSError of Python.
var errorNumber = regexp.MustCompile(`\[Errno (-?\d+)\]`)

// lackOfNumber has Linux's numbers of errors: EFBIG, EMFILE, EAGAIN, ENETUNREACH, EAI_NONAME and EAI_AGAIN.
var lackOfNumber = map[int]Lack{
	27: LackFileSize, 24: LackFiles, 11: LackProcesses, 101: LackNetwork, -2: LackNetwork, -3: LackNetwork,
}

// error returns the end of the name of Python's error for a number.
func (l Lack) error() string {
	if l == LackProcesses {
		return "BlockingIOError"
	}
	return "OSError"
}

// foreignTexts are texts of programs that are not ours, in lower case: of the C library, of R and of CPython. Each lack
// has texts of its own, so that their order does not matter.
var foreignTexts = map[Lack][]string{
	LackMemory:    {"cannot allocate"},
	LackProcesses: {"can't start new thread"},
	LackNetwork:   {"name resolution", "name or service not known", "network is unreachable"},
}
