package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// NotebookList is a page of a list of notebooks. Next is empty on the last page.
type NotebookList struct {
	Notebooks []directory.Listing `json:"notebooks"`
	Next      string              `json:"next,omitempty" jsonschema:"the value of after for the next page, with the same order and search"`
}

const (
	maxPage   = 100 // notebooks on a page, at most and by default
	maxSearch = 200 // bytes
)

func (s *Server) listNotebooks(c *call, _ none) (NotebookList, error) {
	q, err := readQuery(c.r)
	if err != nil {
		return NotebookList{}, err
	}
	q.Person = c.who.Person
	q.Limit++ // one more, to know whether there is a next page
	found, err := s.cfg.Directory.ListNotebooks(c.r.Context(), q)
	if err != nil {
		return NotebookList{}, err
	}
	list := NotebookList{Notebooks: found}
	if len(found) == q.Limit {
		list.Notebooks = found[:q.Limit-1]
		list.Next = writeCursor(q.Sort, q.Cursor(found[q.Limit-2]))
	}
	if list.Notebooks == nil {
		list.Notebooks = []directory.Listing{}
	}
	for i := range list.Notebooks {
		list.Notebooks[i].Brought = s.rooms.BroughtBy(list.Notebooks[i].ID)
	}
	return list, nil
}

func readQuery(r *http.Request) (directory.Query, error) {
	limit, err := readLimit(r, maxPage, maxPage)
	if err != nil {
		return directory.Query{}, err
	}
	q := directory.Query{Limit: limit, Search: r.FormValue("search")}
	if len(q.Search) > maxSearch || !utf8.ValidString(q.Search) {
		return q, problem.New(protocol.CodeInvalid, fmt.Sprintf("search must be at most %d bytes of text", maxSearch))
	}
	if v := r.FormValue("deleted"); v != "" {
		if q.Deleted, err = strconv.ParseBool(v); err != nil {
			return q, problem.New(protocol.CodeInvalid, "deleted must be true or false")
		}
	}
	if err := readOrder(r, &q); err != nil {
		return q, err
	}
	if v := r.FormValue("after"); v != "" {
		if q.After, err = readCursor(q.Sort, v); err != nil {
			return q, problem.New(protocol.CodeInvalid, "after must be the next of the page before, in the same order")
		}
	}
	return q, nil
}

func readOrder(r *http.Request, q *directory.Query) error {
	switch r.FormValue("sort") {
	case "", "changed":
		q.Sort = directory.ByChange
	case "created":
		q.Sort = directory.ByCreation
	case "title":
		q.Sort = directory.ByTitle
	default:
		return problem.New(protocol.CodeInvalid, "sort must be changed, created or title")
	}
	switch r.FormValue("order") {
	case "":
		q.Ascending = q.Sort == directory.ByTitle
	case "asc":
		q.Ascending = true
	case "desc":
	default:
		return problem.New(protocol.CodeInvalid, "order must be asc or desc")
	}
	return nil
}

func readLimit(r *http.Request, byDefault, most int) (int, error) {
	v := r.FormValue("limit")
	if v == "" {
		return byDefault, nil
	}
	limit, err := strconv.Atoi(v)
	if err != nil || limit < 1 || limit > most {
		return 0, problem.New(protocol.CodeInvalid, fmt.Sprintf("limit must be a number from 1 to %d", most))
	}
	return limit, nil
}

// writeCursor writes a position in a list: the sort key, a dot and an id.
func writeCursor(by directory.Sort, c directory.Cursor) string {
	if by == directory.ByTitle {
		return base64.RawURLEncoding.EncodeToString([]byte(c.Title)) + "." + c.ID
	}
	return fmt.Sprintf("%d.%s", c.Time, c.ID)
}

func readCursor(by directory.Sort, s string) (directory.Cursor, error) {
	key, id, ok := strings.Cut(s, ".")
	if !ok {
		return directory.Cursor{}, errors.New("want a dot and an id")
	}
	c := directory.Cursor{ID: id}
	if by == directory.ByTitle {
		title, err := base64.RawURLEncoding.DecodeString(key)
		if err != nil {
			return c, err
		}
		c.Title = string(title)
		return c, event.CheckName("id", id)
	}
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return c, err
	}
	c.Time = event.Time(n)
	return c, event.CheckName("id", id)
}
