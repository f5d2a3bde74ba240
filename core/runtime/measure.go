package runtime

import (
	"fmt"
	"strconv"

	"github.com/quirehq/quire/core/event"
)

const (
	// maxOutputs is the most outputs of a run, however small: each takes memory in every
	// replica. A run that exceeds it is ended.
	maxOutputs = 100_000
	// muchInline is the size of a run's outputs in the log from which only values smaller
	// than smallInline are added to it.
	muchInline  = 8 << 20
	smallInline = 4 << 10
)

// The names of the errors that end a run because of its output.
const (
	OutputLimit = "OutputLimit" // it exceeded a limit
	NotStored   = "NotStored"   // the store of artifacts, or the disk, did not take it
)

// limitError ends a run because of its output.
type limitError struct {
	name, message string
	cause         event.Cause
	limit, value  string // the exceeded limit, empty if there is none
}

// Error returns the message.
func (t *limitError) Error() string { return t.message }

// shown returns the error as an output has it.
func (t *limitError) shown() *event.Error { return &event.Error{Name: t.name, Message: t.message} }

func outputLimit(limit, value, format string) *limitError {
	return &limitError{OutputLimit, fmt.Sprintf(format, value), event.CauseOutputLimit, limit, value}
}

func notStored(err error) *limitError {
	return &limitError{name: NotStored, cause: event.CauseNotStored, message: valid("an output could not be stored: " + err.Error())}
}

// measure counts the output of a run.
type measure struct {
	limits    Limits
	elsewhere int64 // bytes of the notebook's other outputs
	produced  int64 // bytes that left the runtime, or will
	inline    int64 // bytes of them that are in the folded notebook
	outputs   int
	displays  map[string]int64 // bytes inline, by display id
}

// excess returns the limit that is exceeded, nil if none is.
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

// text counts added and dropped text.
func (m *measure) text(added, dropped int) {
	m.produced += int64(added)
	m.inline = max(m.inline+int64(added-dropped), 0)
}

// bundle counts a value, which replaces the earlier one with its display id.
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

// clear resets the count of shown output.
func (m *measure) clear() { m.inline, m.displays = 0, nil }

// sizeText returns a size for users.
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
