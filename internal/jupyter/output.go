package jupyter

import (
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// shown is the content of a message that shows a value.
type shown struct {
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  map[string]json.RawMessage `json:"metadata"`
	Transient struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
}

func (s *shown) bundle() lang.Bundle { return lang.Bundle{Data: s.Data, Metadata: s.Metadata} }

// deliver passes the output in a message to the run's sink.
func (r *run) deliver(m *message, mine bool) {
	switch m.header.Type {
	case "stream":
		r.stream(m, mine)
	case "display_data", "update_display_data", "execute_result":
		r.show(m)
	case "clear_output":
		r.release()
		var clear struct {
			Wait bool `json:"wait"`
		}
		m.decode(&clear)
		r.sink.Clear(clear.Wait)
	case "error":
		failed := &kernelError{}
		if m.decode(failed); mine {
			r.hold(failed)
		} else {
			r.sink.Fail(failed.shape(""))
		}
	}
}

func (r *run) stream(m *message, mine bool) {
	var stream struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	m.decode(&stream)
	m.content = nil // it may be large
	r.release()
	if stream.Name != lang.Stderr {
		stream.Name = lang.Stdout
	}
	if mine {
		stream.Text = r.holdUsage(stream.Name, stream.Text)
	}
	if stream.Text != "" {
		r.sink.Stream(stream.Name, stream.Text)
	}
}

func (r *run) show(m *message) {
	var s shown
	m.decode(&s)
	r.release()
	id := s.Transient.DisplayID
	switch {
	case m.header.Type == "update_display_data":
		if id != "" {
			r.sink.Update(id, s.bundle())
		}
	case m.header.Type == "execute_result" && !r.over:
		r.sink.Result(s.bundle(), id)
	default:
		r.sink.Display(s.bundle(), id)
	}
}

// held is withheld output of a run, until the reply tells whether it repeats it: a published error,
// or the line with IPython's UsageError of a wrong magic.
type held struct {
	failed *kernelError
	usage  string
}

// usageError begins that line, and is the name of the error in the reply.
const usageError = "UsageError"

// hold withholds an error. An earlier one is shown, since the program went on after it.
func (r *run) hold(failed *kernelError) {
	r.release()
	r.held.failed = failed
}

// holdUsage returns the part of a text to show now, and withholds a line at its end with IPython's
// UsageError.
func (r *run) holdUsage(name, text string) string {
	at := strings.LastIndex("\n"+text, "\n"+usageError+": ")
	if name != lang.Stderr || at < 0 || !strings.HasSuffix(text, "\n") {
		return text
	}
	r.held.usage = text[at:]
	return text[:at]
}

// release shows the withheld output in its place, before output that follows it. A SystemExit stays
// withheld, because IPython prints advice after it.
func (r *run) release() {
	r.releaseUsage()
	if f := r.held.failed; f != nil && !f.isExit() {
		r.shownFailure = f
		r.sink.Fail(f.shape(r.req.Source))
		r.held.failed = nil
	}
}

func (r *run) releaseUsage() {
	if r.held.usage != "" {
		r.sink.Stream(lang.Stderr, r.held.usage)
		r.held.usage = ""
	}
}
