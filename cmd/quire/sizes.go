package main

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
)

// sizeTexts bound what notebooks take, as they were set.
type sizeTexts struct {
	Notebook string
	History  string // empty for four times as much
	Data     string // empty for no limit
}

func sizeTextsOf(getenv func(string) string) sizeTexts {
	return sizeTexts{Notebook: cmp.Or(getenv("QUIRE_NOTEBOOK_SIZE"), "256M"), History: getenv("QUIRE_HISTORY_SIZE"), Data: getenv("QUIRE_DATA_SIZE")}
}

// addTo adds the flags to those of a command.
func (t *sizeTexts) addTo(flags *pflag.FlagSet) {
	stringFlag(flags, &t.Notebook, "notebook-size", "SIZE", "how much a notebook may hold without artifacts (QUIRE_NOTEBOOK_SIZE); default: 256M")
	stringFlag(flags, &t.History, "history-size", "SIZE", "how much the log of a notebook may take on disk (QUIRE_HISTORY_SIZE); default: four times --notebook-size")
	stringFlag(flags, &t.Data, "data-size", "SIZE", "how large the database of all notebooks may become (QUIRE_DATA_SIZE); default: as the disk has space")
}

// set sets what a server keeps to, and notes what is wrong with it.
func (t *sizeTexts) set(l *server.Limits, wrong *configErrors) {
	var err error
	if l.Notebook, err = parseSize(t.Notebook); err != nil {
		wrong.add("notebook-size", "QUIRE_NOTEBOOK_SIZE", "%v", err)
	}
	if t.History != "" {
		if l.History, err = parseSize(t.History); err != nil {
			wrong.add("history-size", "QUIRE_HISTORY_SIZE", "%v", err)
		}
	}
	if _, err := t.data(); err != nil {
		wrong.add("data-size", "QUIRE_DATA_SIZE", "%v", err)
	}
}

// data returns how large the database may become, 0 for any size.
func (t *sizeTexts) data() (int64, error) {
	if t.Data == "" {
		return 0, nil
	}
	return parseSize(t.Data)
}
