package main

import (
	"maps"
	"slices"
)

// layer puts the files of a package in an order in which few arrows point back up, and returns the place of each. A file
// belongs above the files that it uses.
//
// The smallest number of arrows back up is hard to find, so this is a greedy order (Eades, Lin and Smyth, 1993): files that
// use no other remaining file go to the bottom, files that no other uses to the top, and when there are none of either, the file
// that uses most more than it is used goes to the top. Then each file is tried at every other place, until no move of a single
// file has fewer arrows pointing up. Ties go to the first name, so the same files are always in the same order.
func layer(graph map[string]map[string]bool) map[string]int {
	order := improve(greedy(graph), graph)
	places := map[string]int{}
	for i, file := range order {
		places[file] = i
	}
	return places
}

func greedy(graph map[string]map[string]bool) []string {
	uses, usedBy := map[string]int{}, map[string]int{}
	users := map[string][]string{}
	left := map[string]bool{}
	for from, targets := range graph {
		left[from] = true
		for to := range targets {
			left[to] = true
			uses[from]++
			usedBy[to]++
			users[to] = append(users[to], from)
		}
	}
	remove := func(file string) {
		delete(left, file)
		for to := range graph[file] {
			usedBy[to]--
		}
		for _, from := range users[file] {
			uses[from]--
		}
	}
	var top, bottom []string
	for len(left) > 0 {
		names := slices.Sorted(maps.Keys(left))
		if i := slices.IndexFunc(names, func(file string) bool { return uses[file] == 0 }); i >= 0 {
			bottom = append(bottom, names[i])
			remove(names[i])
			continue
		}
		next := slices.MaxFunc(names, func(a, b string) int { return weight(uses, usedBy, a) - weight(uses, usedBy, b) })
		top = append(top, next)
		remove(next)
	}
	slices.Reverse(bottom)
	return append(top, bottom...)
}

// weight is how much more a file uses than it is used; one that nothing uses outweighs all that are.
func weight(uses, usedBy map[string]int, file string) int {
	if usedBy[file] == 0 {
		return uses[file] + 1<<16
	}
	return uses[file] - usedBy[file]
}

// improve moves single files to the places with the fewest arrows up, until no move helps.
func improve(order []string, graph map[string]map[string]bool) []string {
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Clone(order) {
			from := slices.Index(order, file)
			if to := bestPlace(order, graph, from); to != from {
				order = slices.Insert(slices.Delete(order, from, from+1), to, file)
				moved = true
			}
		}
	}
	return order
}

// bestPlace returns where the file at a place has the fewest arrows up, or its own place if no other has fewer.
func bestPlace(order []string, graph map[string]map[string]bool, from int) int {
	file := order[from]
	step := func(other string) (change int) { // when the file moves from above another to below it
		if graph[file][other] {
			change++
		}
		if graph[other][file] {
			change--
		}
		return change
	}
	best, place, change := 0, from, 0
	for to := from + 1; to < len(order); to++ {
		if change += step(order[to]); change < best {
			best, place = change, to
		}
	}
	change = 0
	for to := from - 1; to >= 0; to-- {
		if change -= step(order[to]); change < best {
			best, place = change, to
		}
	}
	return place
}
