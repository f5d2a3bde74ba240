package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small returns the figures of the package in testdata.
func small(t *testing.T) figures {
	t.Helper()
	packages, err := load(".", []string{"testdata/small"})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 1 {
		t.Fatalf("got %d packages, want one: a suite is not measured", len(packages))
	}
	return measure(packages[0])
}

func TestProductionFilesOfEveryPlatformAreCounted(t *testing.T) {
	f := small(t)
	got := slices.Sorted(maps.Keys(f.lines))
	if diff := cmp.Diff([]string{"a.go", "b.go", "c.go", "d_linux.go", "d_other.go"}, got); diff != "" || f.files != len(got) {
		t.Errorf("got %d files (-want +got)\n%s", f.files, diff)
	}
	if f.lines["d_linux.go"] != 3 {
		t.Errorf("got %d lines, want 3", f.lines["d_linux.go"])
	}
}

func TestAHelperIsApartFromItsOnlyCallerInAnotherFile(t *testing.T) {
	f := small(t)
	want := []apart{{"list.total", "c.go", "a.go"}}
	if diff := cmp.Diff(want, f.apart, cmp.AllowUnexported(apart{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	// Those used twice, in their own file, by a test alone or only from a file with a build constraint are not apart.
	if f.helpers != 8 {
		t.Errorf("got %d helpers, want 8", f.helpers)
	}
}

func TestArrowsBackUpAreThoseAgainstTheLayers(t *testing.T) {
	f := small(t)
	want := []arrow{{"c.go", "b.go", "elsewhere"}}
	if diff := cmp.Diff(want, f.back, cmp.AllowUnexported(arrow{})); diff != "" || f.arrows != 5 {
		t.Errorf("got %d arrows, want 5; back up (-want +got)\n%s", f.arrows, diff)
	}
}

func TestLayersHaveFewArrowsBackUp(t *testing.T) {
	tests := []struct {
		name string
		uses []string // pairs of letters: the first uses the second
		want int
	}{
		{"a chain", []string{"bc", "ab", "cd"}, 0},
		{"two files that use each other", []string{"ab", "ba"}, 1},
		{"a circle with one way out", []string{"ab", "bc", "ca", "cd"}, 1},
		{"one file that all use, and that uses one", []string{"ax", "bx", "cx", "xc"}, 1},
		{"two circles", []string{"ab", "bc", "ca", "de", "ed", "ad"}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			graph := map[string]map[string]bool{}
			for _, u := range test.uses {
				if graph[u[:1]] == nil {
					graph[u[:1]] = map[string]bool{}
				}
				graph[u[:1]][u[1:]] = true
			}
			places, back := layer(graph), 0
			for from, targets := range graph {
				for to := range targets {
					if places[from] > places[to] {
						back++
					}
				}
			}
			if back != test.want {
				t.Errorf("got %d arrows back up in %v, want %d", back, places, test.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	helpersApart := func(n int) figures { return figures{dir: "core/p", helpers: 100, apart: make([]apart, n)} }
	tests := []struct {
		name     string
		figures  figures
		folders  map[string]int
		accepted []exception
		want     int
	}{
		{"all within", figures{dir: "core/p", files: maxFiles, lines: map[string]int{"a.go": maxLines}}, map[string]int{"web/src": maxFiles}, nil, 0},
		{"few helpers apart", helpersApart(maxShare - 1), nil, nil, 0},
		{"a large share of few helpers", figures{dir: "core/p", helpers: 4, apart: make([]apart, fewApart)}, nil, nil, 0},
		{"many helpers apart", helpersApart(maxShare), nil, nil, 1},
		{"many helpers apart, accepted", helpersApart(maxShare), nil, []exception{{"core/p", "share", maxShare, "why"}}, 0},
		{"more helpers apart than accepted", helpersApart(maxShare + 1), nil, []exception{{"core/p", "share", maxShare, "why"}}, 1},
		{"an exception for something else", helpersApart(maxShare), nil, []exception{{"core/p", "files", maxFiles, "why"}}, 2},
		{"an exception that is not needed", helpersApart(0), nil, []exception{{"core/p", "share", maxShare, "why"}}, 1},
		{"many files", figures{dir: "core/p", files: maxFiles + 1}, map[string]int{"web/src": maxFiles + 1}, nil, 2},
		{"a long file", figures{dir: "core/p", lines: map[string]int{"a.go": maxLines + 1}}, nil, nil, 1},
		{"a long file, accepted", figures{dir: "core/p", lines: map[string]int{"a.go": maxLines + 1}}, nil, []exception{{"core/p/a.go", "lines", maxLines + 1, "why"}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := passedLimits([]figures{test.figures}, test.folders, test.accepted); len(got) != test.want {
				t.Errorf("got %s, want %d", fmt.Sprintf("%q", got), test.want)
			}
		})
	}
}

func TestFilesOfThePageAreCountedByFolder(t *testing.T) {
	got, err := pageFiles(".", "testdata/page")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"testdata/page": 1, "testdata/page/ui": 2}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
