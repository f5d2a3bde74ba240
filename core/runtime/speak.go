package runtime

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// speak gives a program what a person says over a comm. What is no change of a state is
// stated, so that everybody else hears it too; a change is when the program makes it.
func (rt *Runtime) speak(life context.Context, c *replica.Incoming) error {
	p, err := params[protocol.CommMessage](c)
	if err != nil {
		return err
	}
	if !hasShape(p) {
		return protocol.NewCallError(protocol.CodeInvalid, "the params are not those of %s", c.Method)
	}
	m := lang.CommMessage{Kind: lang.CommData, Comm: string(p.Comm), Data: p.Data}
	for _, text := range p.Buffers {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return protocol.NewCallError(protocol.CodeInvalid, "a buffer is not base64")
		}
		m.Buffers = append(m.Buffers, data)
	}
	to, ok := rt.comms.find(p.Comm)
	if !ok {
		return protocol.NewCallError(protocol.CodeNotFound, "no program has comm %s open", p.Comm)
	}
	if to.isWidget && readWidget(p.Data).Method == methodUpdate {
		return rt.heard(to.engine.Send(life, m))
	}
	return rt.speakOpenly(life, to, m, p.Buffers, c.From)
}

func hasShape(p protocol.CommMessage) bool {
	return event.CheckName("comm", string(p.Comm)) == nil && (len(p.Data) == 0 || value(p.Data) != nil)
}

// speakOpenly gives a program a message, and states it.
func (rt *Runtime) speakOpenly(life context.Context, to openComm, m lang.CommMessage, buffers []string, from event.Actor) error {
	sent := &event.CommSent{Comm: event.CommID(m.Comm), Epoch: rt.epoch, From: from, Content: m.Data}
	for _, data := range buffers {
		sent.Buffers = append(sent.Buffers, event.Buffer{Data: data})
	}
	err := rt.session.With(func(r *replica.Replica) error {
		if !rt.out.hasSpace(r) {
			return protocol.NewCallError(protocol.CodeUnavailable, "too much waits to be stored; try again")
		}
		return nil
	})
	if err == nil {
		err = rt.heard(to.engine.Send(life, m))
	}
	if err == nil {
		_, _ = rt.out.state(sent) // it is moot if the program has closed the comm this very moment
	}
	return err
}

// heard says for the caller why a program does not get a message.
func (rt *Runtime) heard(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, lang.ErrBusy):
		return protocol.NewCallError(protocol.CodeUnavailable, "the program is busy and too much waits for it already; try again")
	case isDeath(err):
		return protocol.NewCallError(protocol.CodeUnavailable, "the program has ended; run its cell again")
	}
	return protocol.NewCallError(protocol.CodeUnavailable, "%s", valid(err.Error()))
}
