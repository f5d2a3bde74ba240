// Command figures prints how the code is divided into files: for each Go package its production files and lines, the share
// of its helpers that stand in another file than their only caller, and the arrows between its files that point back up;
// and for each folder of the page its files. It fails where a hard limit is passed that is not listed as an exception.
//
// It sees the files that the go command builds on this machine. Tests, and the suites that tests import, are no production
// files.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	root := flag.String("root", ".", "the root of the repository")
	of := flag.String("v", "", "print the helpers and the arrows back up of this package too, such as core/room")
	flag.Parse()
	faults, err := run(os.Stdout, *root, *of)
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(2)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// goFolders are the folders whose Go packages are measured; pageFolder is the folder of the page.
var goFolders = []string{"core", "internal", "host", "cmd"}

const pageFolder = "web/src"

// run prints the tables and what passes a limit, and returns the number of the latter.
func run(w io.Writer, root, of string) (faults int, err error) {
	packages, err := load(root, goFolders)
	if err != nil {
		return 0, err
	}
	all := make([]figures, len(packages))
	for i, p := range packages {
		all[i] = measure(p)
		if p.dir == of {
			printDetails(w, all[i])
		}
	}
	folders, err := pageFiles(root, pageFolder)
	if err != nil {
		return 0, err
	}
	printPackages(w, all)
	printFolders(w, folders)
	passed := passedLimits(all, folders, exceptions)
	for _, fault := range passed {
		fmt.Fprintln(w, fault)
	}
	return len(passed), nil
}
