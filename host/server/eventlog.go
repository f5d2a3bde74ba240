package server

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// The number of events on a page of the log, by default and at most.
const (
	logPage = 1_000
	maxLog  = 10_000
)

var errPageFull = errors.New("the page is full")

func (s *Server) readLog() endpoint {
	return endpoint{status: http.StatusOK, gives: "application/x-ndjson", serve: s.sendLog}
}

// sendLog writes a page of the log from disk, without opening the room.
func (s *Server) sendLog(c *call) error {
	limit, err := readLimit(c.r, logPage, maxLog)
	if err != nil {
		return err
	}
	after := uint64(0)
	if v := c.r.FormValue("after"); v != "" {
		if after, err = strconv.ParseUint(v, 10, 63); err != nil {
			return problem.New(protocol.CodeInvalid, "after must be the number of an event")
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
	return s.cutOff(c, "log of "+c.book.ID, err)
}

// cutOff ends a streamed answer that cannot be completed: with an error if nothing of it is sent,
// else by cutting the connection, so that the client does not take a part for all of it.
func (s *Server) cutOff(c *call, what string, cause error) error {
	if rec, ok := c.w.(*recorder); ok && !rec.wrote {
		return fmt.Errorf("read %s: %w", what, cause)
	}
	s.log.Error("answer cut off", "answer", what, "error", cause)
	panic(http.ErrAbortHandler)
}
