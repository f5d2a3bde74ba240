package artifacts

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/transfer"
)

// Upload stores the body of a request as an artifact of a notebook.
func (s *Service) Upload(w http.ResponseWriter, r *http.Request, notebook string) (event.Artifact, error) {
	limit := s.cfg.Limits.Artifact
	if r.ContentLength > limit {
		return event.Artifact{}, s.tooLarge()
	}
	left, ok := s.arrive(notebook)
	if !ok {
		return event.Artifact{}, problem.TooMany(w, problem.RetrySoon, fmt.Sprintf("the notebook has %d uploads under way; try again when one has ended", s.cfg.Limits.Uploads))
	}
	defer left()
	body := &upload{r: http.MaxBytesReader(w, r.Body, limit), deadlines: transfer.DeadlinesOf(w)}
	made, err := s.Put(r.Context(), notebook, body)
	if err == nil || body.err == nil {
		return made, err
	}
	if _, large := errors.AsType[*http.MaxBytesError](body.err); large {
		return made, s.tooLarge()
	}
	return made, problem.New(protocol.CodeInvalid, "the upload ended before all of it was there; send it again")
}

func (s *Service) tooLarge() error {
	return problem.WithStatus(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, fmt.Sprintf(
		"an artifact may have at most %d bytes on this server", s.cfg.Limits.Artifact))
}

// arrive counts an upload, unless the notebook has as many under way as it may.
func (s *Service) arrive(notebook string) (left func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.arriving[notebook] >= s.cfg.Limits.Uploads {
		return nil, false
	}
	s.arriving[notebook]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.arriving[notebook]--; s.arriving[notebook] == 0 {
			delete(s.arriving, notebook)
		}
	}, true
}

// upload is a body that may take as long as it makes progress.
type upload struct {
	r         io.Reader
	deadlines transfer.Deadlines
	err       error // of the client's side
}

// Read implements [io.Reader].
func (u *upload) Read(p []byte) (int, error) {
	u.deadlines.Extend()
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		u.err = err
	}
	return n, err
}
