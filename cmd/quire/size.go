package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the powers of 1024 that sizes are given in.
const units = "KMGT"

// parseSize returns the bytes of a size such as 512M, 2G or 1.5GiB. A number alone
// is bytes.
func parseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "BbiKMGTkmgt ")
	unit := strings.ToUpper(strings.TrimSpace(s[len(number):]))
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")
	factor := 1.0
	if unit != "" {
		power := strings.Index(units, unit) + 1
		if power == 0 || len(unit) > 1 {
			return 0, fmt.Errorf("%q is no size: want a number with K, M, G or T, such as 512M or 1.5G", s)
		}
		factor = math.Pow(1024, float64(power))
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.ContainsAny(number, "xX_nN") {
		return 0, fmt.Errorf("%q is no size: want a number with K, M, G or T, such as 512M or 1.5G", s)
	}
	if bytes := n * factor; bytes >= 1 && bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q is no size that anything can have: leave it out for no limit", s)
}
