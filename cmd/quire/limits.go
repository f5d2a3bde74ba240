package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// limitTexts bound what the programs of a runtime may use, as they were set: empty
// for no limit.
type limitTexts struct{ Memory, CPU, FileSize, Files, Processes string }

// limits bound what the programs of a runtime may use; 0 for no limit.
type limits struct {
	memory, fileSize int64 // bytes
	cpu              time.Duration
	files, processes int
}

// limitFlag is one of the limits as flag and variable.
type limitFlag struct {
	name, variable, value, usage string
	text                         *string
	parse                        func(*limits, string) error
}

// flags is the table of limits.
func (t *limitTexts) flags() []limitFlag {
	return []limitFlag{
		{"memory", "QUIRE_MEMORY", "SIZE", "memory of one engine, such as 2G", &t.Memory, func(l *limits, s string) (err error) {
			l.memory, err = parseSize(s)
			return err
		}},
		{"cpu", "QUIRE_CPU", "DURATION", "processor time of one engine, such as 4h", &t.CPU, func(l *limits, s string) (err error) {
			l.cpu, err = parseSpan(s)
			return err
		}},
		{"file-size", "QUIRE_FILE_SIZE", "SIZE", "size of a file that is written, such as 10G", &t.FileSize, func(l *limits, s string) (err error) {
			l.fileSize, err = parseSize(s)
			return err
		}},
		{"files", "QUIRE_FILES", "N", "files that are open at once", &t.Files, func(l *limits, s string) (err error) {
			l.files, err = parseCount(s)
			return err
		}},
		{"processes", "QUIRE_PROCESSES", "N", "processes and threads of the user", &t.Processes, func(l *limits, s string) (err error) {
			l.processes, err = parseCount(s)
			return err
		}},
	}
}

// addTo adds the flags to those of a command.
func (t *limitTexts) addTo(flags *pflag.FlagSet) {
	for _, f := range t.flags() {
		stringFlag(flags, f.text, f.name, f.value, "limit the "+f.usage+" ("+f.variable+"); default: none")
	}
}

// parse returns the limits, and notes what is no limit.
func (t *limitTexts) parse(wrong *faults) limits {
	var l limits
	for _, f := range t.flags() {
		if *f.text == "" {
			continue
		}
		if err := f.parse(&l, *f.text); err != nil {
			wrong.add(f.name, f.variable, "%v", err)
		}
	}
	return l
}

// args returns the flags that set the same limits in another process.
func (t *limitTexts) args() []string {
	var args []string
	for _, f := range t.flags() {
		if *f.text != "" {
			args = append(args, "--"+f.name, *f.text)
		}
	}
	return args
}

// parseSpan returns a time that is longer than none.
func parseSpan(s string) (time.Duration, error) {
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
