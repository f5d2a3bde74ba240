package room

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// ErrNoArtifact says that a notebook lacks an artifact that an event mentions.
var ErrNoArtifact = errors.New("the notebook has no such artifact")

// errMention says that the artifacts could not be looked up.
var errMention = errors.Join(ErrUnavailable, errors.New("the notebook's artifacts cannot be looked up; try again"))

// mention lets the host note the artifacts that an event mentions, before the event is
// appended. It refuses an event that mentions an artifact which the notebook lacks.
func (s *Sequencer) mention(ctx context.Context, p event.Payload) error {
	if s.cfg.Mention == nil {
		return nil
	}
	list := mentioned(p)
	if len(list) == 0 {
		return nil
	}
	switch err := s.cfg.Mention(ctx, list); {
	case errors.Is(err, ErrNoArtifact):
		return refuse(protocol.CodeNotFound, "%s mentions an artifact that the notebook does not have: upload it first", p.Type())
	case err != nil:
		return errMention
	}
	return nil
}

// mentioned returns the artifacts that an event mentions.
func mentioned(p event.Payload) []event.Artifact {
	switch p := p.(type) {
	case *event.OutputAdded:
		return inBundle(p.Value.Artifacts)
	case *event.OutputStored:
		return inBundle(p.Artifacts)
	case *event.DisplayUpdated:
		return inBundle(p.Artifacts)
	case *event.OutputsImported:
		return inOutputs(p.Outputs)
	case *event.FileAttached:
		return []event.Artifact{p.Artifact}
	case *event.CommOpened:
		return inBuffers(p.Buffers)
	case *event.CommUpdated:
		return inBuffers(p.Buffers)
	case *event.CommSent:
		return inBuffers(p.Buffers)
	}
	return nil
}

func inBundle(m map[string]event.Artifact) []event.Artifact {
	if len(m) == 0 {
		return nil
	}
	return slices.Collect(maps.Values(m))
}

func inOutputs(outputs []event.Output) (list []event.Artifact) {
	for i := range outputs {
		list = append(list, inBundle(outputs[i].Artifacts)...)
	}
	return list
}

func inBuffers(buffers []event.Buffer) (list []event.Artifact) {
	for i := range buffers {
		if a := buffers[i].Artifact; a != nil {
			list = append(list, *a)
		}
	}
	return list
}
