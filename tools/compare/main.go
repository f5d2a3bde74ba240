// Command compare runs snippets of notebooks in several ways and prints where these differ from the first: nbclient with
// ipykernel, which is the reference; the Python that is built in, with IPython and without; and ipykernel as a kernel of
// Quire. A snippet is one or more cells in a fresh process. An intended difference has its reason in the snippet; any other
// difference is a fault.
//
// The output of the reference is recorded beside the snippets, so a test can compare the built-in Python without ipykernel.
// -update records new and changed snippets again, -again all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.quire, "quire", "bin/quire", "the program")
	flag.StringVar(&o.python, "python", "/usr/bin/python3", "a Python with IPython, ipykernel and nbclient")
	flag.StringVar(&o.dir, "dir", "tools/compare/snippets", "where the snippets are")
	flag.StringVar(&o.only, "only", "", "run those alone whose topic/name contains this")
	ways := flag.String("ways", "native,bare,kernel", "what is compared with the reference")
	flag.IntVar(&o.parallel, "p", 2, "how many snippets run at once")
	flag.BoolVar(&o.update, "update", false, "keep the results of the reference, and those of accepted differences")
	flag.BoolVar(&o.again, "again", false, "with -update: ask the reference for every snippet again")
	flag.Parse()
	o.ways = strings.Split(*ways, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	differ, err := compare(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if differ > 0 {
		os.Exit(1)
	}
}
