package server

import (
	"bufio"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

func (s *Server) exportNotebook() endpoint {
	return endpoint{status: http.StatusOK, gives: "application/x-ipynb+json", serve: s.export}
}

// export writes the notebook as a file. It is an attachment: a browser must save
// it and not show it, since what is in it comes from anybody.
func (s *Server) export(c *call) error {
	ctx := c.r.Context()
	room, err := s.rooms.use(ctx, c.book.ID)
	if err != nil {
		return err
	}
	defer s.rooms.release(room)
	var book *notebook.Notebook
	if err := room.View(ctx, func(n *notebook.Notebook) { book = n.Clone() }); err != nil {
		return err
	}
	data, err := ipynb.Export(book)
	if err != nil {
		return fmt.Errorf("export notebook %s: %w", c.book.ID, err)
	}
	name := mime.FormatMediaType("attachment", map[string]string{"filename": book.Title() + ".ipynb"})
	c.w.Header().Set("Content-Disposition", name)
	c.w.Header().Set("Content-Type", "application/x-ipynb+json")
	_, _ = c.w.Write(data) // one who left before the answer needs none
	return nil
}

// How many events a page of the log has, by default and at most.
const (
	logPage = 1_000
	maxLog  = 10_000
)

var errPageFull = errors.New("the page is full")

func (s *Server) readLog() endpoint {
	return endpoint{status: http.StatusOK, gives: "application/x-ndjson", serve: s.sendLog}
}

// sendLog writes a page of the log as it is on disk, without opening the room.
func (s *Server) sendLog(c *call) error {
	limit, err := readLimit(c.r, logPage, maxLog)
	if err != nil {
		return err
	}
	after := uint64(0)
	if v := c.r.FormValue("after"); v != "" {
		if after, err = strconv.ParseUint(v, 10, 63); err != nil {
			return problem(replica.CodeInvalid, "after must be the number of an event")
		}
	}
	c.w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriterSize(c.w, 64<<10)
	err = s.cfg.Logs.Log(c.book.ID).Read(c.r.Context(), event.Seq(after), func(r event.Record) error {
		if limit--; limit < 0 {
			return errPageFull
		}
		_, _ = out.Write(r.Data)
		return out.WriteByte('\n')
	})
	if err == nil || errors.Is(err, errPageFull) {
		return out.Flush()
	}
	if rec, ok := c.w.(*recorder); ok && !rec.wrote {
		return fmt.Errorf("read log of %s: %w", c.book.ID, err)
	}
	s.log.Error("log cut off", "notebook", c.book.ID, "error", err)
	panic(http.ErrAbortHandler) // the client must not take a part for all of it
}
