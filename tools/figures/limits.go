package main

import (
	"fmt"
	"maps"
	"slices"
)

// The hard limits. A share of helpers apart is a percentage that must stay below the limit.
const (
	maxShare = 8
	maxFiles = 40 // of a folder
	maxLines = 500
)

// exception accepts that a package or folder passes a limit, for a reason.
type exception struct {
	dir, limit, reason string
}

var exceptions = []exception{
	{"cmd/quire", "share", "being split"},
	{"cmd/quire", "files", "being split"},
	{"core/notebook", "share", "not joined yet"},
	{"core/runtime", "share", "not joined yet"},
	{"host/server", "share", "being split"},
	{"host/server", "files", "being split"},
	{"internal/jupyter", "share", "not joined yet"},
	{"internal/python", "share", "not joined yet"},
	{"internal/sqlite", "share", "not joined yet"},
}

// passedLimits returns a sentence for each limit that is passed without an exception, and for each exception that is not
// needed.
func passedLimits(all []figures, folders map[string]int, accepted []exception) (faults []string) {
	unused := slices.Clone(accepted)
	fault := func(dir, limit, sentence string) {
		of := func(e exception) bool { return e.dir == dir && e.limit == limit }
		unused = slices.DeleteFunc(unused, of)
		if !slices.ContainsFunc(accepted, of) {
			faults = append(faults, dir+": "+sentence)
		}
	}
	for _, f := range all {
		if f.share() >= maxShare {
			fault(f.dir, "share", fmt.Sprintf("%d of %d helpers stand in another file than their only caller, move them below it (-v %s names them)", len(f.apart), f.helpers, f.dir))
		}
		if f.files > maxFiles {
			fault(f.dir, "files", fmt.Sprintf("%d files are more than one idea, make it two packages", f.files))
		}
		for _, name := range slices.Sorted(maps.Keys(f.lines)) {
			if f.lines[name] > maxLines {
				fault(f.dir+"/"+name, "lines", fmt.Sprintf("%d lines are more than one idea, make it two files", f.lines[name]))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if folders[dir] > maxFiles {
			fault(dir, "files", fmt.Sprintf("%d files are more than one idea, make it two folders", folders[dir]))
		}
	}
	for _, e := range unused {
		faults = append(faults, fmt.Sprintf("%s: it is within its limit of %s now, remove the exception", e.dir, e.limit))
	}
	return faults
}
