package jupyter

import (
	"encoding/json"

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
		failed := &failure{}
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
