// Command bench measures the budgets of docs/architecture.md, and prints each figure
// beside its limit, a peer's figure or the bare machine's, from one run. Compare ratios: absolute times are those of the machine at that moment.
//
//	go run ./bench [-only name,…] [-quick]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
)

// bench is a group of measurements.
type bench struct {
	name string
	run  func(context.Context, *env) ([]row, error)
}

// benches is the list of all groups, in the order in which they are run.
func benches() []bench {
	return []bench{
		{"fold", measureFold},
		{"open", measureOpen},
		{"trace", measureTrace},
		{"limit", measureLimit},
		{"sockets", measureSockets},
		{"fanout", measureFanOut},
		{"memory", measureMemory},
		{"artifacts", measureArtifacts},
		{"exec", measureExec},
		{"run", measureRunCommand},
		{"languages", measureLanguages},
		{"env", measureSandboxStart},
		{"kernels", measureKernels},
		{"flood", measureFlood},
		{"wasm", measureWasm},
		{"peers", measurePeers},
	}
}

// env is the shared state of all groups.
type env struct {
	quick  bool   // smaller numbers, to see that everything works
	binary string // of quire
	dir    string // for files of the groups; removed at the end
}

// scale returns n, or a tenth of it for a quick run.
func (e *env) scale(n int) int {
	if e.quick {
		return max(n/10, 1)
	}
	return n
}

func main() {
	only := flag.String("only", "", "groups to run, with commas between; all if empty")
	quick := flag.Bool("quick", false, "a tenth of the work, to see that it works")
	profile := flag.String("cpuprofile", "", "a file to write a profile of this process to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := profiled(*profile, func() error { return run(ctx, *only, *quick) }); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// profiled calls f, and writes a profile of it to a file if one is named.
func profiled(path string, f func() error) error {
	if path == "" {
		return f()
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}

func run(ctx context.Context, only string, quick bool) error {
	dir, err := os.MkdirTemp("", "quire-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e := &env{quick: quick, dir: dir, binary: "bin/quire"}
	names := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	printHead()
	for _, b := range benches() {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		rows, err := b.run(ctx, e)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		printRows(b.name, rows)
	}
	return nil
}
