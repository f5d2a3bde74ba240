package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit is the kind of a value, by the name that help has for it. Size, Duration and Count are numbers; a value of any other is a
// text.
type Unit string

// The units of numbers.
const (
	Size     Unit = "SIZE"     // in bytes
	Duration Unit = "DURATION" // in nanoseconds
	Count    Unit = "N"
)

// parse returns the number of a text.
func (u Unit) parse(text string) (int64, error) {
	switch u {
	case Size:
		return ParseSize(text)
	case Duration:
		d, err := ParseDuration(text)
		return int64(d), err
	}
	n, err := parseCount(text)
	return int64(n), err
}

// powers are the powers of 1024 that sizes are given in.
const powers = "KMGT"

// ParseSize returns the bytes of a size such as 512M, 2G or 1.5GiB. A number alone is bytes.
func ParseSize(s string) (int64, error) {
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

// SizeText returns a number of bytes for users.
func SizeText(n int64) string {
	size, unit := float64(n), ""
	for _, next := range powers {
		if size < 1024 {
			break
		}
		size, unit = size/1024, string(next)+"i"
	}
	return fmt.Sprintf("%.3g %sB", size, unit)
}

// ParseDuration returns a time that is longer than none.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no time: want one such as 90s, 30m or 24h", s)
	}
	return d, nil
}

// parseCount returns a number from 1.
func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no number from 1", s)
	}
	return n, nil
}
