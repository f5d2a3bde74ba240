package langtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// maxScripted is the number of messages that can wait for the end of a run.
const maxScripted = 16

// scriptedComms is the state of the engine's comms. Only one goroutine delivers at a time: the run's, or the sender's.
type scriptedComms struct {
	out     lang.CommSink      // between runs
	waiting []lang.CommMessage // for the end of the run
	later   []lang.CommMessage // sent by the program after the end of its run
}

// Comms implements lang.Commer.
func (s *Scripted) Comms(out lang.CommSink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comms.out = out
}

// Send implements lang.Commer. Every comm answers: a change of a state with its echo, other data with {"got": data}.
func (s *Scripted) Send(ctx context.Context, m lang.CommMessage) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.unfitLocked(); {
	case err == nil:
		s.answerLocked(m)
		return nil
	case s.interrupt == nil || len(s.comms.waiting) == maxScripted:
		return err
	}
	s.comms.waiting = append(s.comms.waiting, m)
	return nil
}

// endCommsLocked delivers the messages that waited for the end of the run.
func (s *Scripted) endCommsLocked() {
	later, waiting := s.comms.later, s.comms.waiting
	s.comms.later, s.comms.waiting = nil, nil
	for _, m := range later {
		s.sayLocked(m)
	}
	for _, m := range waiting {
		s.answerLocked(m)
	}
}

func (s *Scripted) answerLocked(m lang.CommMessage) {
	var update map[string]json.RawMessage
	if json.Unmarshal(m.Data, &update) == nil && string(update["method"]) == `"update"` {
		update["method"] = json.RawMessage(`"echo_update"`)
	} else {
		update = map[string]json.RawMessage{"got": m.Data}
	}
	m.Data, _ = json.Marshal(update) // its values are JSON
	s.sayLocked(m)
}

func (s *Scripted) sayLocked(m lang.CommMessage) {
	if s.comms.out != nil {
		s.comms.out.Comm(m)
	}
}

// comm runs the commands of comms, and reports whether command is one.
func (s *Scripted) comm(run scriptedRun, command, rest string) bool {
	id, rest, _ := strings.Cut(rest, " ")
	m := lang.CommMessage{Comm: id}
	switch command {
	case "comm-open":
		m.Kind = lang.CommOpen
		m.Target, rest, _ = strings.Cut(rest, " ")
	case "comm-send", "comm-later":
		m.Kind = lang.CommData
	case "comm-close":
		m.Kind = lang.CommClose
	default:
		return false
	}
	data, bytes, _ := strings.Cut(rest, " ")
	m.Data = json.RawMessage(data)
	if buffer, err := base64.StdEncoding.DecodeString(bytes); err == nil && bytes != "" {
		m.Buffers = [][]byte{buffer}
	}
	s.deliver(run, command == "comm-later", m)
	return true
}

func (s *Scripted) deliver(run scriptedRun, later bool, m lang.CommMessage) {
	out, ok := run.sink.(lang.CommSink)
	if ok && !later {
		out.Comm(m)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if later {
		s.comms.later = append(s.comms.later, m)
		return
	}
	s.sayLocked(m)
}
