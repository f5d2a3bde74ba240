package runtime

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// The methods of a widget's messages that change its state. With the second a program
// echoes a state that a user has set.
const (
	methodUpdate = "update"
	methodEcho   = "echo_update"
)

// widget is the data of a widget's message.
type widget struct {
	Method      string                     `json:"method"`
	State       map[string]json.RawMessage `json:"state"`
	BufferPaths [][]json.RawMessage        `json:"buffer_paths"`
}

func readWidget(data json.RawMessage) (w widget) {
	_ = json.Unmarshal(data, &w) // data of another shape has no state
	return w
}

// loose returns the buffers of a message.
func loose(m lang.CommMessage) (list []event.Buffer) {
	for _, data := range m.Buffers {
		list = append(list, event.Buffer{Data: base64.StdEncoding.EncodeToString(data)})
	}
	return list
}

// placed returns the buffers of a message with their paths in a state. Buffers without a
// path are dropped.
func placed(m lang.CommMessage, paths [][]json.RawMessage) []event.Buffer {
	list := loose(m)
	list = list[:min(len(list), len(paths))]
	for i := range list {
		list[i].Path = paths[i]
	}
	return list
}

// store makes artifacts of large buffers, if there is a store.
func (c *comms) store(life context.Context, buffers []event.Buffer) error {
	cfg := &c.rt.cfg
	for i := range buffers {
		b := &buffers[i]
		if cfg.Artifacts == nil || len(b.Data) <= cfg.Limits.Inline {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return fmt.Errorf("decode a buffer: %w", err)
		}
		a, err := cfg.Artifacts.Put(life, bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("store %d bytes: %w", len(data), err)
		}
		b.Data, b.Artifact = "", &a
	}
	return nil
}

// buffersIn returns the buffers of an event.
func buffersIn(p event.Payload) []event.Buffer {
	switch p := p.(type) {
	case *event.CommOpened:
		return p.Buffers
	case *event.CommUpdated:
		return p.Buffers
	case *event.CommSent:
		return p.Buffers
	}
	return nil
}

// merge merges a later update into an update.
func merge(u, later *event.CommUpdated) {
	replaced := map[string]bool{}
	for key := range later.State {
		replaced[key] = true
	}
	for i := range later.Buffers {
		if key, ok := later.Buffers[i].Key(); ok {
			replaced[key] = true
		}
	}
	maps.DeleteFunc(u.State, func(key string, _ json.RawMessage) bool { return replaced[key] })
	u.Buffers = slices.DeleteFunc(u.Buffers, func(b event.Buffer) bool {
		key, _ := b.Key()
		return replaced[key]
	})
	if u.State == nil {
		u.State = map[string]json.RawMessage{}
	}
	maps.Copy(u.State, later.State)
	u.Buffers = append(u.Buffers, later.Buffers...)
}

// cleanMap returns the values that are JSON.
func cleanMap(m map[string]json.RawMessage) map[string]json.RawMessage {
	maps.DeleteFunc(m, func(_ string, raw json.RawMessage) bool { return value(raw) == nil })
	return m
}

// commSize returns the approximate size of a comm event in a message, 0 for other events.
func commSize(p event.Payload) int {
	switch p := p.(type) {
	case *event.CommOpened:
		return bundleLen(p.State) + bundleLen(p.Metadata) + len(p.Data) + buffersLen(p.Buffers)
	case *event.CommUpdated:
		return bundleLen(p.State) + buffersLen(p.Buffers)
	case *event.CommSent:
		return len(p.Content) + buffersLen(p.Buffers)
	case *event.CommClosed:
		return len(p.Content)
	case *event.CommsLost:
		return len(p.Comms) * event.MaxName
	}
	return 0
}

func buffersLen(buffers []event.Buffer) int {
	n := 0
	for i := range buffers {
		const around = 128
		n += around + len(buffers[i].Data)
		for _, step := range buffers[i].Path {
			n += len(step) + 1
		}
	}
	return n
}
