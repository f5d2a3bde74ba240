package jupyter

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// shown is what a message has that shows a value.
type shown struct {
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  map[string]json.RawMessage `json:"metadata"`
	Transient struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
}

func (s *shown) bundle() lang.Bundle { return lang.Bundle{Data: s.Data, Metadata: s.Metadata} }

// deliver tells the sink of a run what a message says. Threads go on after the run
// that started them: what they print is shown with the run that goes on.
func (r *run) deliver(m *message, mine bool) {
	switch m.header.Type {
	case "stream":
		r.stream(m)
	case "display_data", "update_display_data", "execute_result":
		r.show(m)
	case "clear_output":
		var clear struct {
			Wait bool `json:"wait"`
		}
		m.decode(&clear)
		r.sink.Clear(clear.Wait)
	case "error":
		failed := &failure{}
		if m.decode(failed); mine {
			r.failed = failed
		}
	}
}

func (r *run) stream(m *message) {
	var stream struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	m.decode(&stream)
	m.content = nil // it may be large
	if stream.Name != lang.Stderr {
		stream.Name = lang.Stdout
	}
	if stream.Text != "" {
		r.sink.Stream(stream.Name, stream.Text)
	}
}

func (r *run) show(m *message) {
	var s shown
	m.decode(&s)
	id := s.Transient.DisplayID
	switch {
	case m.header.Type == "update_display_data":
		if id != "" {
			r.sink.Update(id, s.bundle())
		}
	case m.header.Type == "execute_result" && !r.result:
		r.result = true // a kernel that shows the value of every line has more of them
		r.sink.Result(s.bundle())
	default:
		r.sink.Display(s.bundle(), id)
	}
}

// showPages shows what the kernel wants to have in a pager, such as help.
func (r *run) showPages() {
	if r.reply == nil {
		return
	}
	var reply struct {
		Payload []struct {
			Source string                     `json:"source"`
			Data   map[string]json.RawMessage `json:"data"`
		} `json:"payload"`
	}
	r.reply.decode(&reply)
	for _, p := range reply.Payload {
		if p.Source == "page" && len(p.Data) > 0 {
			var text string
			if json.Unmarshal(p.Data["text/plain"], &text) == nil {
				p.Data["text/plain"] = lang.Text("", overstrike.ReplaceAllString(text, "")).Data[""]
			}
			r.sink.Display(lang.Bundle{Data: p.Data}, "")
		}
	}
}

// lateLimit bounds what is kept of the output between two runs.
const lateLimit = 1 << 20

// late is output that came when no run went on, as from a thread. It is kept for the
// next run up to a bound, and counted beyond it.
type late struct {
	messages []*message
	size     int
	dropped  int
}

func (l *late) add(m *message) {
	const overhead = 64
	if l.size+m.size+overhead > lateLimit {
		l.dropped += m.size
		return
	}
	l.size += m.size + overhead
	l.messages = append(l.messages, m)
}

func (l *late) deliver(r *run) {
	for _, m := range l.messages {
		r.deliver(m, false)
	}
	if l.dropped > 0 {
		r.sink.Stream(lang.Stderr, fmt.Sprintf("[%d bytes of output between runs were dropped]\n", l.dropped))
	}
	*l = late{}
}
