package ipynb

import (
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// keyExecution has, in the metadata of a cell, the times of its run: those of the messages of Jupyter's protocol, by
// channel and type.
const keyExecution = "execution"

// The messages at the beginning and at the end of a run.
var (
	atStart = []string{"iopub.status.busy", "iopub.execute_input"}
	atEnd   = []string{"iopub.status.idle", "shell.execute_reply"}
)

// putTimes removes imported times from a cell that was run since, and writes those of that run if times are wanted.
func (x *exporter) putTimes(metadata object, c *notebook.Cell) {
	if c.Began == "" {
		return
	}
	delete(metadata, keyExecution)
	r := x.notebook.Run(c.Began)
	if !x.timed || r == nil || r.Started == 0 {
		return
	}
	times := object{}
	putTime(times, atStart, r.Started)
	putTime(times, atEnd, r.Finished)
	metadata[keyExecution] = times
}

func putTime(times object, messages []string, at event.Time) {
	if at == 0 {
		return // it has not happened yet
	}
	for _, message := range messages {
		times[message] = time.UnixMilli(int64(at)).UTC().Format("2006-01-02T15:04:05.000000Z")
	}
}
