//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// transcript is what the log says of one run, put together anew from its events.
type transcript struct {
	started   bool
	finished  int        // how often its runtime said that it had
	ended     event.Type // of the event that ended it, empty while it has not
	cancelled bool       // somebody asked for that
	outputs   []*output
	byID      map[event.OutputID]*output
	states    map[string]string // what displays with ids have become
	asked     map[event.InputID]string
	answer    string // to its question
	out, err  string // what it printed to the streams, displays within stdout; see finish
	failed    *event.Error
}

type output struct {
	kind   event.OutputKind
	stream string
	text   string
}

func newTranscript() *transcript {
	return &transcript{byID: map[event.OutputID]*output{}, states: map[string]string{}, asked: map[event.InputID]string{}}
}

// about returns the run and the epoch that an event of a runtime is about, either of
// which may be missing.
func about(p event.Payload) (run event.RunID, epoch event.Epoch) {
	switch p := p.(type) {
	case *event.RunAssigned:
		return p.Run, p.Epoch
	case *event.RunStarted:
		return p.Run, p.Epoch
	case *event.RunFinished:
		return p.Run, p.Epoch
	case *event.OutputAdded:
		return p.Run, p.Epoch
	case *event.OutputAppended:
		return p.Run, p.Epoch
	case *event.DisplayUpdated:
		return p.Run, p.Epoch
	case *event.OutputsCleared:
		return p.Run, p.Epoch
	case *event.InputAsked:
		return p.Run, p.Epoch
	case *event.InputClosed:
		return "", p.Epoch
	case *event.RuntimeReady:
		return "", p.Epoch
	case *event.RuntimeStopped:
		return "", p.Epoch
	}
	return "", 0
}

// lateOf returns the cell that an event names which tells of a run after its end.
func lateOf(p event.Payload) event.CellID {
	switch p := p.(type) {
	case *event.OutputAdded:
		return p.Late
	case *event.OutputAppended:
		return p.Late
	case *event.OutputStored:
		return p.Late
	case *event.DisplayUpdated:
		return p.Late
	case *event.OutputsCleared:
		return p.Late
	}
	return ""
}

// add takes in an event of the run.
func (t *transcript) add(p event.Payload) error {
	switch p := p.(type) {
	case *event.RunStarted:
		t.started = true
	case *event.RunFinished:
		t.finished++
	case *event.InputAsked:
		t.asked[p.Input] = p.Prompt
	case *event.OutputAdded:
		return t.addOutput(p)
	case *event.OutputAppended:
		o := t.byID[p.Output]
		if o == nil || len(o.text) < p.Drop {
			return fmt.Errorf("output %s cannot be appended to", p.Output)
		}
		o.text = o.text[:len(o.text)-p.Drop] + p.Text // programs print ASCII
	case *event.DisplayUpdated:
		t.states[p.DisplayID] = plain(p.Data)
	}
	return nil
}

func (t *transcript) addOutput(p *event.OutputAdded) error {
	if t.byID[p.Output] != nil {
		return fmt.Errorf("output %s is added twice", p.Output)
	}
	o := &output{kind: p.Value.Kind, stream: p.Value.Stream, text: p.Value.Text}
	switch p.Value.Kind {
	case event.OutputDisplay, event.OutputResult:
		o.text = plain(p.Value.Data)
		if a, ok := p.Value.Artifacts["text/html"]; ok {
			o.text += " #" + a.Hash
		}
		if id := p.Value.DisplayID; id != "" {
			t.states[id], o.text = o.text, id
		}
	case event.OutputError:
		t.failed = p.Value.Error
	}
	t.outputs, t.byID[p.Output] = append(t.outputs, o), o
	return nil
}

// finish puts the streams together.
func (t *transcript) finish() {
	var out, err strings.Builder
	for _, o := range t.outputs {
		switch {
		case o.kind == event.OutputStream && o.stream == event.Stderr:
			err.WriteString(o.text)
		case o.kind == event.OutputStream:
			out.WriteString(o.text)
		case o.kind != event.OutputError:
			out.WriteString("<" + o.text + ">")
		}
	}
	t.out, t.err = out.String(), err.String()
}

// plain returns the text of a bundle.
func plain(data map[string]json.RawMessage) (text string) {
	if json.Unmarshal(data["text/plain"], &text) != nil {
		return ""
	}
	return text
}
