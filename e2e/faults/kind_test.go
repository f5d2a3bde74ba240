//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// kind is a kind of fault.
type kind string

// The kinds of faults. A process that is frozen has got SIGSTOP, and gets SIGCONT.
const (
	serverKilled  kind = "server killed"
	serverFrozen  kind = "server frozen"
	runtimeKilled kind = "runtime killed"
	runtimeFrozen kind = "runtime frozen"
	engineKilled  kind = "engine killed"
	engineFrozen  kind = "engine frozen"
	clientKilled  kind = "client killed"
	networkCut    kind = "network cut"
	networkSlow   kind = "network slow"
	diskFull      kind = "disk full"
	diskSlow      kind = "disk slow"
	diskBroken    kind = "disk broken" // it cannot sync
	clockWrong    kind = "clock wrong"
)

// kindRow says of a kind how likely it is, and for how long it lasts: less than so long.
type kindRow struct {
	kind
	share int
	lasts time.Duration
}

var kinds = []kindRow{
	{serverKilled, 4, 400 * time.Millisecond},
	{serverFrozen, 2, 1_200 * time.Millisecond},
	{runtimeKilled, 3, 200 * time.Millisecond},
	{runtimeFrozen, 2, 900 * time.Millisecond},
	{engineKilled, 3, 200 * time.Millisecond},
	{engineFrozen, 2, 800 * time.Millisecond},
	{clientKilled, 3, 250 * time.Millisecond},
	{networkCut, 5, 1_000 * time.Millisecond},
	{networkSlow, 2, 1_000 * time.Millisecond},
	{diskFull, 2, 800 * time.Millisecond},
	{diskSlow, 2, 800 * time.Millisecond},
	{diskBroken, 1, 400 * time.Millisecond},
	{clockWrong, 2, 1_000 * time.Millisecond},
}

// kindsOf reads a list of kinds.
func kindsOf(list string) (found []kindRow, err error) {
	if list == "" {
		return kinds, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(kinds, func(k kindRow) bool { return string(k.kind) == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind of fault %q", name)
		}
		found = append(found, kinds[i])
	}
	return found, nil
}

// choose chooses among things by their shares.
func choose[T any](r *rand.Rand, among []T, share func(T) int) T {
	total := 0
	for _, one := range among {
		total += share(one)
	}
	at := r.IntN(total)
	for _, one := range among {
		if at -= share(one); at < 0 {
			return one
		}
	}
	panic("the shares do not add up")
}

// drawStrike chooses a fault among some kinds.
func drawStrike(r *rand.Rand, among []kindRow) strike {
	k := choose(r, among, func(k kindRow) int { return k.share })
	return strike{kind: k.kind, lasts: drawTime(r, k.lasts), draw: r.IntN(1 << 20)}
}

// drawTime returns a time below a bound, in whole milliseconds.
func drawTime(r *rand.Rand, below time.Duration) time.Duration {
	return time.Duration(r.IntN(int(below/time.Millisecond))) * time.Millisecond
}
