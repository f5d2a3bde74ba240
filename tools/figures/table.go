package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

func printPackages(w io.Writer, all []figures) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "files\tlongest\thelpers\tapart\tshare\tarrows\tback up\t  package")
	for _, f := range all {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%.0f %%\t%d\t%d\t  %s\n",
			f.files, slices.Max(slices.Collect(maps.Values(f.lines))), f.helpers, len(f.apart), f.share(), f.arrows, len(f.back), f.dir)
	}
	table.Flush()
}

func (f figures) share() float64 {
	if f.helpers == 0 {
		return 0
	}
	return 100 * float64(len(f.apart)) / float64(f.helpers)
}

func printFolders(w io.Writer, folders map[string]int) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nfiles\t  folder of the page")
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(table, "%d\t  %s\n", folders[dir], dir)
	}
	table.Flush()
}

func printDetails(w io.Writer, f figures) {
	for _, a := range f.apart {
		fmt.Fprintf(w, "%s stands in %s, its only use in %s\n", a.name, a.file, a.caller)
	}
	for _, a := range f.back {
		fmt.Fprintf(w, "%s uses %s of %s above it\n", a.from, a.name, a.to)
	}
}
