package runtime

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/quirehq/quire/core/event"
)

// Limits bound what a run may produce, in bytes. Zero values are the defaults.
type Limits struct {
	// Stream is how much printed text of a run the log holds: 1 MiB, or 10 MiB without a
	// store of artifacts. Of each stream the end beyond that is shown, Tail bytes of it:
	// 64 KiB.
	Stream, Tail int
	// Inline is the largest value of a display or result that the log holds: 256 KiB. It
	// counts only with a store of artifacts.
	Inline int
	// Output is how much of one display or result the log holds in all: 1 MiB, or 4 MiB
	// without a store of artifacts.
	Output int
	// Pending is how much may wait to be acknowledged by the room: 8 MiB.
	Pending int
	// RunOutput is how much a run may produce in all, inside of the log and out, before it
	// is ended: 1 GiB.
	RunOutput int64
	// NotebookOutput is how much of outputs a notebook may hold in its log's state, which
	// all who have it open have in memory, before the run that adds to it is ended: 128 MiB.
	NotebookOutput int64
}

func (l *Limits) setDefaults(stored bool) {
	stream, output := 10<<20, 4<<20
	if stored {
		stream, output = 1<<20, 1<<20
	}
	l.Stream = orElse(l.Stream, stream)
	l.Output = orElse(l.Output, output)
	l.Tail = orElse(l.Tail, 64<<10)
	l.Inline = orElse(l.Inline, 256<<10)
	l.Pending = orElse(l.Pending, 8<<20)
	l.RunOutput = orElse(l.RunOutput, 1<<30)
	l.NotebookOutput = orElse(l.NotebookOutput, 128<<20)
}

const (
	// maxOutputs is how many outputs a run may have before it is ended: each costs
	// everybody who has the notebook open some memory, however small it is.
	maxOutputs = 100_000
	// muchInline is how much of a run's outputs the log holds before only values that are
	// smaller than little go there.
	muchInline  = 8 << 20
	smallInline = 4 << 10
)

// The names of the errors that end a run because of what it produced.
const (
	OutputLimit = "OutputLimit" // it produced more than it may
	NotStored   = "NotStored"   // the store of artifacts, or the disk, did not take it
)

// limitError is why a run is ended that its program would have gone on with.
type limitError struct {
	name, message string
	limit, value  string // that was passed; empty if none was
}

// Error says what was too much.
func (t *limitError) Error() string { return t.message }

// shown returns it as an output shows it.
func (t *limitError) shown() *event.Error { return &event.Error{Name: t.name, Message: t.message} }

func isLimitError(err error) bool {
	var much *limitError
	return errors.As(err, &much)
}

func outputLimit(limit, value, format string) *limitError {
	return &limitError{OutputLimit, fmt.Sprintf(format, value), limit, value}
}

func notStored(err error) *limitError {
	return &limitError{name: NotStored, message: valid("an output could not be stored: " + err.Error())}
}

// measure is how much a run has produced.
type measure struct {
	limits    Limits
	elsewhere int64 // bytes that the notebook holds of other outputs
	produced  int64 // bytes that left the runtime, or are about to
	inline    int64 // bytes of that which the log holds and shows
	outputs   int
	displays  map[string]int64 // bytes inline, by display id
}

// excess says which limit has been passed, nil if none.
func (m *measure) excess() *limitError {
	switch {
	case m.produced > m.limits.RunOutput:
		return outputLimit("output", sizeText(m.limits.RunOutput), "the run produced more than %s, which is the limit of its output (--output, QUIRE_OUTPUT)")
	case m.elsewhere+m.inline > m.limits.NotebookOutput:
		return outputLimit("notebook-output", sizeText(m.limits.NotebookOutput), "the notebook's outputs hold more than %s, which is the limit (--notebook-output, QUIRE_NOTEBOOK_OUTPUT): "+
			"clear some outputs")
	case m.outputs > maxOutputs:
		return outputLimit("outputs", strconv.Itoa(maxOutputs), "the run has more than %s outputs, which is the limit: update a display instead of adding one")
	}
	return nil
}

// text counts text that was added after some was taken away.
func (m *measure) text(added, dropped int) {
	m.produced += int64(added)
	m.inline = max(m.inline+int64(added-dropped), 0)
}

// bundle counts a value, which replaces what is displayed under its id.
func (m *measure) bundle(b *bundle, display string) {
	inline := int64(bundleLen(b.data) + bundleLen(b.metadata))
	m.produced += inline
	for _, a := range b.artifacts {
		m.produced += a.Size
	}
	m.inline += inline
	if display == "" {
		return
	}
	if m.displays == nil {
		m.displays = map[string]int64{}
	}
	m.inline -= m.displays[display]
	m.displays[display] = inline
}

// clear forgets what was shown.
func (m *measure) clear() { m.inline, m.displays = 0, nil }

// sizeText returns a size as people write it.
func sizeText(n int64) string {
	const units = "KMGT"
	unit := -1
	size := float64(n)
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if unit < 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.4g %ciB", size, units[unit])
}
