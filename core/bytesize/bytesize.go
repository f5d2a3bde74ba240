// Package bytesize has amounts of data as users write and read them: a number with K, M, G or T, powers of 1024. What such an amount
// limits is up to others.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// powers are the powers of 1024 that sizes are given in.
const powers = "KMGT"

// Parse returns the bytes of a size such as 512M, 2G or 1.5GiB. A number alone is bytes.
func Parse(s string) (int64, error) {
	number := strings.TrimRight(s, "BbiKMGTkmgt ")
	unit := strings.ToUpper(strings.TrimSpace(s[len(number):]))
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")
	factor := 1.0
	if unit != "" {
		power := strings.Index(powers, unit) + 1
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

// Text returns a number of bytes for users, such as 1.5 GiB. [Parse] returns the same number for it: a limit that is shown can
// be set again.
func Text(n int64) string {
	for power := len(powers); power > 0; power-- {
		factor := math.Pow(1024, float64(power))
		if float64(n) < factor {
			continue
		}
		text := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", float64(n)/factor), "0"), ".") + " " + powers[power-1:power] + "iB"
		if back, err := Parse(text); err == nil && back == n {
			return text
		}
	}
	return strconv.FormatInt(n, 10) + " B"
}

// About returns a measured number of bytes for users, rounded to three digits.
func About(n int64) string {
	size, unit := float64(n), ""
	for _, next := range powers {
		if size < 1024 {
			break
		}
		size, unit = size/1024, string(next)+"i"
	}
	if size >= 1000 { // a thousand and some of a unit has four digits
		return fmt.Sprintf("%.0f %sB", size, unit)
	}
	return fmt.Sprintf("%.3g %sB", size, unit)
}
