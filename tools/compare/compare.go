package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

type options struct {
	quire, python, dir, only string
	ways                     []string
	parallel                 int
	update, again            bool
	known                    bool // do not run the reference: a missing result is a difference
}

// compare runs the snippets, prints the differences and returns their number.
func compare(ctx context.Context, o options, out io.Writer) (int, error) {
	snippets, err := readSnippets(o.dir, o.only)
	if err != nil {
		return 0, err
	}
	results, err := readGoldens(o.dir)
	if err != nil {
		return 0, err
	}
	made, err := os.MkdirTemp("", "compare-venv-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(made) }()
	ways, err := o.find(ctx, made)
	if err != nil {
		return 0, err
	}
	asked := &reference{python: o.python}
	defer asked.close()
	c := &comparison{options: o, reference: way{name: "ipykernel", reference: asked}, ways: ways, goldens: results, out: out}
	c.all(ctx, snippets)
	fmt.Fprintf(out, "%d snippets, of which %d differ and %d may; %d differences in all\n", len(snippets), len(c.differing), c.accepted, c.differences)
	if o.update && ctx.Err() == nil {
		if o.only == "" {
			results.forget(snippets)
		}
		err = errors.Join(results.write(o.dir), writeVersions(o))
	}
	return len(c.differing), err
}

// find returns the selected ways.
func (o options) find(ctx context.Context, venv string) ([]way, error) {
	quire, err := filepath.Abs(o.quire)
	if err != nil {
		return nil, err
	}
	var ways []way
	for _, name := range o.ways {
		w := way{name: name, quire: quire}
		switch name {
		case "native":
			w.args = []string{"--python", o.python}
		case "kernel":
			w.args = []string{"--kernel", "python3"}
		case "bare":
			python, err := bareVenv(ctx, o.python, venv)
			if err != nil {
				return nil, err
			}
			w.args = []string{"--python", python}
		case "":
			continue
		default:
			return nil, fmt.Errorf("%q is none of native, bare and kernel", name)
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// comparison is one call of the program.
type comparison struct {
	options
	reference way
	ways      []way

	mu          sync.Mutex
	goldens     goldens
	out         io.Writer
	differing   map[string]bool
	differences int
	accepted    int
}

func (c *comparison) all(ctx context.Context, snippets []snippet) {
	c.differing = map[string]bool{}
	next := make(chan snippet)
	var workers sync.WaitGroup
	for range max(c.parallel, 1) {
		workers.Go(func() {
			for s := range next {
				c.one(ctx, s)
			}
		})
	}
	for _, s := range snippets {
		if ctx.Err() != nil {
			break
		}
		next <- s
	}
	close(next)
	workers.Wait()
}

// one runs a snippet in every way.
func (c *comparison) one(ctx context.Context, s snippet) {
	k, err := c.want(ctx, s)
	if err != nil {
		c.report(s, "ipykernel", "", err.Error())
		return
	}
	for _, w := range c.ways {
		if !s.runsIn(w.name) {
			continue
		}
		got, err := w.execute(ctx, s)
		if err != nil {
			c.report(s, w.name, "", err.Error())
			continue
		}
		c.judge(s, w.name, &k, got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goldens.put(s, k)
}

// want returns the output of the reference, from the goldens if the snippet has not changed.
func (c *comparison) want(ctx context.Context, s snippet) (golden, error) {
	c.mu.Lock()
	k, ok := c.goldens.find(s)
	c.mu.Unlock()
	switch {
	case ok && !c.again:
		return k, nil
	case c.known:
		return golden{}, errors.New("nothing is kept of it, or it has changed since; run `make compare UPDATE=1`")
	}
	want, err := c.reference.execute(ctx, s)
	return golden{Source: s.hash(), Want: want}, err
}

// judge compares the output of a way with the expected one.
func (c *comparison) judge(s snippet, way string, k *golden, got [][]string) {
	same := slices.EqualFunc(k.Want, got, slices.Equal)
	reason, accepted := s.accepted[way]
	switch {
	case same && accepted:
		c.report(s, way, "", "it no longer differs: take the reason out: "+reason)
	case same:
	case !accepted:
		c.report(s, way, difference(s, k.Want, got), "")
	case c.update:
		if k.Accepted == nil {
			k.Accepted = map[string][][]string{}
		}
		k.Accepted[way] = got
		c.allow()
	case !slices.EqualFunc(k.Accepted[way], got, slices.Equal):
		c.report(s, way, difference(s, k.Accepted[way], got), "it differs otherwise than before, where this was accepted: "+reason)
	default:
		c.allow()
	}
}

func (c *comparison) allow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accepted++
}

func (c *comparison) report(s snippet, way, diff, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.differing[s.id()] = true
	c.differences++
	fmt.Fprintf(c.out, "=== %s: %s\n", s.id(), way)
	if why != "" {
		fmt.Fprintln(c.out, why)
	}
	fmt.Fprint(c.out, diff)
}

// difference lists the cells that differ: sources, expected and actual output.
func difference(s snippet, want, got [][]string) string {
	var all strings.Builder
	for i, source := range s.cells {
		var before, after []string
		if i < len(want) {
			before = want[i]
		}
		if i < len(got) {
			after = got[i]
		}
		if slices.Equal(before, after) {
			continue
		}
		fmt.Fprintf(&all, "    %s\n", strings.ReplaceAll(source, "\n", "\n    "))
		for _, line := range before {
			fmt.Fprintf(&all, "- %q\n", line)
		}
		for _, line := range after {
			fmt.Fprintf(&all, "+ %q\n", line)
		}
	}
	return all.String()
}
