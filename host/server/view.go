package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/rooms"
)

// The number of cells that a page requests first, by default and at most.
const (
	viewCells = 40
	maxCells  = 500
	// maxView bounds, roughly, the bytes of rows in the answer. A page gets the rest from the room.
	maxView = 8 << 20
)

// readView answers with the rows that a page shows before its replica is loaded.
func (s *Server) readView() endpoint {
	return endpoint{status: http.StatusOK, gives: "application/json", serve: func(c *call) error {
		cells := viewCells
		if v := c.r.FormValue("cells"); v != "" {
			var err error
			if cells, err = strconv.Atoi(v); err != nil || cells < 1 || cells > maxCells {
				return problem.New(protocol.CodeInvalid, fmt.Sprintf("cells must be a number from 1 to %d", maxCells))
			}
		}
		book, err := s.bookOf(c.r.Context(), c.book.ID)
		if err != nil {
			return err
		}
		release, err := s.memory.takeFor(c.r.Context(), book, maxView)
		if err != nil {
			return err
		}
		defer release()
		return writeJSON(c.w, http.StatusOK, view.First(s.shownTo(c.role, book), cells, maxView))
	}}
}

// bookOf returns the committed state of a notebook. It does not open the room: a client that reads a
// notebook may not stay.
func (s *Server) bookOf(ctx context.Context, id string) (*notebook.Notebook, error) {
	if opened := s.rooms.Opened(id); opened != nil {
		book, err := bookIn(ctx, opened)
		if err == nil || ctx.Err() != nil || !errors.Is(err, room.ErrUnavailable) {
			return book, err
		}
	}
	book, err := s.memory.fold(ctx, id, s.cfg.Logs.Log(id))
	if err != nil {
		return nil, fmt.Errorf("read notebook %s: %w", id, err)
	}
	return book, nil
}

// bookIn returns a copy of the notebook in a room. A room that has ended is unavailable.
func bookIn(ctx context.Context, opened *rooms.Room) (book *notebook.Notebook, err error) {
	if err := opened.Wait(ctx); err != nil {
		return nil, err
	}
	err = opened.View(ctx, func(n *notebook.Notebook) { book = n.Clone() })
	return book, err
}
