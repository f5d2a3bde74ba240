package localrun

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
)

// Write writes a Jupyter file of a notebook that was run, with the metadata of Jupyter's own
// runners: the language, the kernel, and the times of the runs if timed.
func (s *Run) Write(w io.Writer, timed bool) error {
	n := s.Person.Copy()
	if err := errors.Join(s.describe(n), s.describePapermill(n)); err != nil {
		return err
	}
	if timed {
		return ipynb.WriteTimed(context.Background(), w, n, s.Artifacts)
	}
	return ipynb.Write(context.Background(), w, n, s.Artifacts)
}

// describePapermill adds the record of the run to a copy of the notebook.
func (s *Run) describePapermill(n *notebook.Notebook) error {
	said, err := s.Papermill.Events(n)
	if err != nil {
		return err
	}
	return formats.FoldInto(n, said)
}

// describe adds the kernel and the language of a run to a copy of the notebook.
func (s *Run) describe(n *notebook.Notebook) error {
	m := engines.Metadata(n.Metadata())
	var said []event.Payload
	if m["kernelspec"] == nil {
		spec, err := json.Marshal(s.choice.Spec())
		if err != nil {
			return err
		}
		said = append(said, &event.NotebookMetadataSet{Key: "kernelspec", Value: spec})
	}
	if info := s.language.Load(); info != nil && len(*info) > 0 {
		said = append(said, &event.NotebookMetadataSet{Key: "language_info", Value: *info})
	}
	return formats.FoldInto(n, said)
}

// languageInfo returns the language_info of a file for the language that an engine executes.
func languageInfo(engine lang.Engine) json.RawMessage {
	info := engine.Info()
	if info.Described != nil {
		return info.Described
	}
	data, err := json.Marshal(map[string]string{
		"name": info.Language, "version": info.Version, "mimetype": info.MIME, "file_extension": info.Extension,
	})
	if err != nil {
		return nil // it has texts alone
	}
	return data
}
