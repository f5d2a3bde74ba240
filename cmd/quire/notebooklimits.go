package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/host/server"
)

// notebookSettings are the settings that a notebook has of its own, as files of the data directory.
type notebookSettings struct {
	dir       string
	limits    limitTexts // of the server
	sandboxed bool       // all runtimes are
	shut      *shut      // how those of notebooks are that are not trusted
}

// runtimeFlags returns the flags of the runtime of a notebook: those of all, and those that its own
// settings make.
func (l *notebookSettings) runtimeFlags(notebook string, all []string) ([]string, error) {
	own, err := l.ownLimits(notebook)
	if err != nil {
		return nil, err
	}
	holds := own.within(l.limits)
	boxed, err := l.trustFlags(notebook)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, boxed, holds.args()), nil
}

// forget removes the settings of a notebook.
func (l *notebookSettings) forget(notebook string) error {
	return errors.Join(os.RemoveAll(l.limitsFile(notebook)), os.RemoveAll(l.trustFile(notebook)))
}

// The limits of a notebook are a file of the data directory. They hold for a runtime
// from its start on, and never let it have more than the server lets any.

func (l *notebookSettings) limitsFile(notebook string) string {
	return filepath.Join(l.dir, "limits", notebook+".json")
}

// ownLimits returns the limits that a notebook has of its own.
func (l *notebookSettings) ownLimits(notebook string) (limitTexts, error) {
	var own limitTexts
	if _, err := readSetting(l.limitsFile(notebook), &own); err != nil {
		return own, fmt.Errorf("read the limits of the notebook: %w", err)
	}
	return own, nil
}

// Limits implements [server.Limiter].
func (l *notebookSettings) Limits(notebook string) (server.NotebookLimits, error) {
	own, err := l.ownLimits(notebook)
	return server.NotebookLimits{Own: server.LimitValues(own), Most: server.LimitValues(l.limits)}, err
}

// SetLimits implements [server.Limiter].
func (l *notebookSettings) SetLimits(notebook string, values server.LimitValues) error {
	own := limitTexts(values)
	if err := own.checkWithin(l.limits); err != nil {
		return fmt.Errorf("%w: %w", server.ErrLimit, err)
	}
	return writeSetting(l.limitsFile(notebook), own)
}

// limitPair is a limit of a notebook beside the server's.
type limitPair struct {
	limitFlag
	own, most *string
}

// pairs returns the table of limits beside that of the server.
func (t *limitTexts) pairs(most *limitTexts) []limitPair {
	var all []limitPair
	mosts := most.flags()
	for i, f := range t.flags() {
		all = append(all, limitPair{limitFlag: f, own: f.text, most: mosts[i].text})
	}
	return all
}

// exceeds reports whether the notebook's limit lets programs have more than the
// server's does. Both must be limits.
func (p limitPair) exceeds() bool {
	if *p.own == "" || *p.most == "" {
		return false
	}
	var own, most limits
	if p.parse(&own, *p.own) != nil || p.parse(&most, *p.most) != nil {
		return true // what is no limit lets have anything
	}
	return own.sum() > most.sum()
}

// sum is the number of the one limit that is set.
func (l limits) sum() int64 {
	return l.memory + l.disk + l.fileSize + int64(l.cpu) + int64(l.runTime) + int64(l.files) + int64(l.processes) + l.output + l.notebookOutput
}

// checkWithin says what is no limit, or is more than the server allows.
func (t limitTexts) checkWithin(most limitTexts) error {
	for _, p := range t.pairs(&most) {
		if *p.own == "" {
			continue
		}
		if err := p.check(*p.own); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if p.exceeds() {
			return fmt.Errorf("%s: %s is more than the server allows, which is %s", p.name, *p.own, *p.most)
		}
	}
	return nil
}

// within returns the limits, lowered to what the server allows. One with which nothing can
// run, which may be from before that was refused, counts as the least.
func (t limitTexts) within(most limitTexts) limitTexts {
	for _, p := range t.pairs(&most) {
		if *p.own != "" && p.parse(new(limits), *p.own) == nil && p.check(*p.own) != nil {
			*p.own = p.least
		}
		if *p.own == "" || p.exceeds() {
			*p.own = *p.most
		}
	}
	return t
}
