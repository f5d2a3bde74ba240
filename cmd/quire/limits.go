package main

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
)

// limitTexts bound what the programs of a runtime may use, as they were set: empty
// for no limit.
type limitTexts server.LimitValues

// limits bound what the programs of a runtime may use; 0 for no limit.
type limits struct {
	memory, disk, fileSize int64 // bytes
	cpu, runTime           time.Duration
	files, processes       int

	output, notebookOutput int64 // bytes
}

// limitTextsOf returns what the environment sets.
func limitTextsOf(getenv func(string) string) limitTexts {
	var t limitTexts
	for _, f := range t.flags() {
		*f.text = getenv(f.variable)
	}
	return t
}

// limitFlag is one of the limits as flag and variable.
type limitFlag struct {
	name, variable, value, usage string
	text                         *string
	parse                        func(*limits, string) error
	otherwise                    string // what holds without it; none if empty
	least                        string // with which something can still run; anything if empty
}

// flags is the table of limits.
func (t *limitTexts) flags() []limitFlag {
	return []limitFlag{
		{"memory", "QUIRE_MEMORY", "SIZE", "memory of a runtime's programs, such as 2G", &t.Memory, sizeLimit(func(l *limits) *int64 { return &l.memory }), "", "32M"},
		{"cpu", "QUIRE_CPU", "DURATION", "processor time of one engine, such as 4h", &t.CPU, spanLimit(func(l *limits) *time.Duration { return &l.cpu }), "", "1s"},
		{"run-time", "QUIRE_RUN_TIME", "DURATION", "time that one run takes, such as 30m", &t.RunTime, spanLimit(func(l *limits) *time.Duration { return &l.runTime }), "", "100ms"},
		{"disk", "QUIRE_DISK", "SIZE", "size of all files in the folder of a notebook, such as 10G, which has one file for each 16K at most, or 10000", &t.Disk, sizeLimit(func(l *limits) *int64 { return &l.disk }), "", ""},
		{"file-size", "QUIRE_FILE_SIZE", "SIZE", "size of a file that is written, such as 2G", &t.FileSize, sizeLimit(func(l *limits) *int64 { return &l.fileSize }), "", "4K"},
		{"files", "QUIRE_FILES", "N", "files that are open at once in a program", &t.Files, countLimit(func(l *limits) *int { return &l.files }), "", "20"},
		{"processes", "QUIRE_PROCESSES", "N", "processes and threads of a runtime's programs", &t.Processes, countLimit(func(l *limits) *int { return &l.processes }), "", "8"},
		{"output", "QUIRE_OUTPUT", "SIZE", "output of one run, which ends it", &t.Output, sizeLimit(func(l *limits) *int64 { return &l.output }), "1G", ""},
		{"notebook-output", "QUIRE_NOTEBOOK_OUTPUT", "SIZE", "outputs that a notebook holds itself, without artifacts", &t.NotebookOutput, sizeLimit(func(l *limits) *int64 { return &l.notebookOutput }), "128M", ""},
	}
}

// check returns why a text is no limit that programs can keep to, nil if it is one.
func (f limitFlag) check(text string) error {
	var limit, least limits
	if err := f.parse(&limit, text); err != nil || f.least == "" {
		return err
	}
	if err := f.parse(&least, f.least); err != nil {
		return err
	}
	if limit.sum() < least.sum() {
		return fmt.Errorf("with %q no program can run: want %s or more", text, f.least)
	}
	return nil
}

func sizeLimit(of func(*limits) *int64) func(*limits, string) error {
	return func(l *limits, s string) (err error) {
		*of(l), err = parseSize(s)
		return err
	}
}

func spanLimit(of func(*limits) *time.Duration) func(*limits, string) error {
	return func(l *limits, s string) (err error) {
		*of(l), err = parseSpan(s)
		return err
	}
}

func countLimit(of func(*limits) *int) func(*limits, string) error {
	return func(l *limits, s string) (err error) {
		*of(l), err = parseCount(s)
		return err
	}
}

// addTo adds the flags to those of a command.
func (t *limitTexts) addTo(flags *pflag.FlagSet) {
	for _, f := range t.flags() {
		stringFlag(flags, f.text, f.name, f.value, "limit the "+f.usage+" ("+f.variable+"); default: "+cmp.Or(f.otherwise, "none"))
	}
}

// parse returns the limits, and notes what is no limit.
func (t *limitTexts) parse(wrong *configErrors) limits {
	var l limits
	for _, f := range t.flags() {
		if *f.text == "" {
			continue
		}
		if err := cmp.Or(f.check(*f.text), f.parse(&l, *f.text)); err != nil {
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
