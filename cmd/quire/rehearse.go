package main

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// foldInto folds events into a notebook that has no other user.
func foldInto(n *notebook.Notebook, payloads []event.Payload) error {
	for _, p := range payloads {
		e := &event.Event{Seq: n.Seq() + 1, ID: event.ID{Client: "file", N: uint64(n.Seq()) + 1}, Payload: p}
		if _, err := n.Admit(e, nil); err != nil {
			return err
		}
	}
	return nil
}

// rehearse folds payloads into a notebook that is not run.
func rehearse(payloads []event.Payload) (*notebook.Notebook, error) {
	n := notebook.New()
	if err := foldInto(n, payloads); err != nil {
		return nil, err
	}
	return n, nil
}
