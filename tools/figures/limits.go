package main

import (
	"fmt"
	"maps"
	"slices"
)

// The hard limits. A share of helpers apart is a percentage that must stay below the limit, unless it is of very few.
const (
	maxShare = 8
	fewApart = 2
	maxFiles = 40 // of a folder
	maxLines = 500
)

// exception accepts that a package or folder passes a limit, for a reason. It may not pass most: a percentage of a share,
// else a number.
type exception struct {
	dir, limit string
	most       int
	reason     string
}

// ofObjects is why some packages have more helpers apart than the limit: these are constructors and methods of unexported
// objects with a file each, which one other object uses. They would have to leave the file of their type.
const ofObjects = "the others are methods of objects that have a file each"

var exceptions = []exception{
	{"cmd/quire", "share", 21, "a command has a file, and only the list of commands names it"},
	{"cmd/quire/internal/doctor", "share", 29, "a check has a file, and only the list of checks names it"},
	{"cmd/quire/internal/engines", "share", 16, ofObjects},
	{"core/notebook", "share", 11, ofObjects + ", and a function for each family of events"},
	{"core/runtime", "share", 15, ofObjects},
	{"host/server", "share", 33, "handlers stand with their family, and only the table of routes names them"},
	{"host/server/signin", "share", 22, ofObjects},
	{"internal/jupyter", "share", 15, ofObjects},
	{"internal/mcp", "share", 30, ofObjects},
	{"internal/python", "share", 11, ofObjects},
	{"internal/scheme", "share", 14, "a table names each form and each group of primitives"},
	{"internal/scheme/loop.go", "lines", 540, "the loop over instructions is one function, whose state is in registers"},
	{"internal/script", "share", 15, ofObjects},
	{"internal/sqlite", "share", 14, ofObjects},
	{"internal/wasi", "share", 10, ofObjects},
}

// passedLimits returns a sentence for each limit that is passed by more than an exception accepts, and for each exception that is not
// needed.
func passedLimits(all []figures, folders map[string]int, accepted []exception) (faults []string) {
	unused := slices.Clone(accepted)
	fault := func(dir, limit string, n int, sentence string) {
		unused = slices.DeleteFunc(unused, func(e exception) bool { return e.dir == dir && e.limit == limit })
		if !slices.ContainsFunc(accepted, func(e exception) bool { return e.dir == dir && e.limit == limit && n <= e.most }) {
			faults = append(faults, dir+": "+sentence)
		}
	}
	for _, f := range all {
		if f.share() >= maxShare && len(f.apart) > fewApart {
			fault(f.dir, "share", int(f.share()), fmt.Sprintf("%d of %d helpers stand in another file than their only caller, move them below it (-v %s names them)", len(f.apart), f.helpers, f.dir))
		}
		if f.files > maxFiles {
			fault(f.dir, "files", f.files, fmt.Sprintf("%d files are more than one idea, make it two packages", f.files))
		}
		for _, name := range slices.Sorted(maps.Keys(f.lines)) {
			if f.lines[name] > maxLines {
				fault(f.dir+"/"+name, "lines", f.lines[name], fmt.Sprintf("%d lines are more than one idea, make it two files", f.lines[name]))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if folders[dir] > maxFiles {
			fault(dir, "files", folders[dir], fmt.Sprintf("%d files are more than one idea, make it two folders", folders[dir]))
		}
	}
	for _, e := range unused {
		faults = append(faults, fmt.Sprintf("%s: it is within its limit of %s now, remove the exception", e.dir, e.limit))
	}
	return faults
}
