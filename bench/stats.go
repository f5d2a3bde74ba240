package main

import (
	"slices"
	"time"
)

// quantile returns the value below which a share of the values lies.
func quantile(values []time.Duration, share float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func median(values []time.Duration) time.Duration { return quantile(values, 0.5) }
