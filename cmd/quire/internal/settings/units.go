package settings

import (
	"fmt"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/bytesize"
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
		return bytesize.Parse(text)
	case Duration:
		d, err := ParseDuration(text)
		return int64(d), err
	}
	n, err := parseCount(text)
	return int64(n), err
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
