// Package directory describes the surroundings of notebooks: which notebooks exist, their users, and the roles of
// these. It holds types only; an adapter stores them, and a host decides with them.
package directory

import (
	"errors"
	"strings"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// Notebook is one entry of the directory. The contents of the notebook are in its log.
type Notebook struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Owner   string     `json:"owner"` // the id of a person
	Created event.Time `json:"created"`
	Updated event.Time `json:"updated"`           // time of the last event of its log, up to a second late
	Deleted event.Time `json:"deleted,omitempty"` // 0 while it is not deleted
	// Cells is the number of cells; nil until the first change after the upgrade to a version that counts them.
	Cells *int `json:"cells,omitempty"`
}

// Person is a user known to the directory.
type Person struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Email   string     `json:"email,omitempty"`
	Created event.Time `json:"created"`
}

// Grant is the role of a person in a notebook. A person has at most one in each.
type Grant struct {
	Notebook string      `json:"notebook"`
	Person   string      `json:"person"`
	Role     access.Role `json:"role"`
}

// Artifact is an artifact that a notebook refers to.
type Artifact struct{ Notebook, Hash string }

// Query selects the notebooks to list, and their order. The zero Query lists all that are not deleted, those updated
// last first.
type Query struct {
	Person    string // only those in which this person has a role; empty for all
	Owner     string // only those that this person owns; empty for all
	Deleted   bool   // the deleted ones instead of the others
	Search    string // only those whose titles match it, as Matches says; empty for all
	Sort      Sort
	Ascending bool   // the least first instead of the greatest
	Limit     int    // how many at most; 0 for as many as one page may have
	After     Cursor // the end of the previous page
}

// Sort is the order of a list of notebooks. The id breaks ties.
type Sort string

// The orders of lists.
const (
	ByChange   Sort = ""        // when the notebook was updated
	ByCreation Sort = "created" // when it was created
	ByTitle    Sort = "title"   // its title, A to Z the same as a to z
)

// Cursor is a position in a list of notebooks. The zero Cursor is its start. Only the field that the list is ordered
// by, Time or Title, is set.
type Cursor struct {
	Time  event.Time
	Title string
	ID    string
}

// Cursor returns the position of a listing in the list of the query, for the next page.
func (q Query) Cursor(l Listing) Cursor {
	switch q.Sort {
	case ByTitle:
		return Cursor{Title: l.Title, ID: l.ID}
	case ByCreation:
		return Cursor{Time: l.Created, ID: l.ID}
	}
	return Cursor{Time: l.Updated, ID: l.ID}
}

// Matches reports whether a title contains every word of the query's search, also within words, ignoring case.
func (q Query) Matches(title string) bool {
	title = strings.ToLower(title)
	for word := range strings.FieldsSeq(strings.ToLower(q.Search)) {
		if !strings.Contains(title, word) {
			return false
		}
	}
	return true
}

// Listing is a notebook in a list, with the role of the person of the query.
type Listing struct {
	Notebook
	Role access.Role `json:"role,omitempty"`
	// Brought is the actor that connected the notebook's current runtime, empty if the server did or there is none. No
	// directory stores it.
	Brought event.Actor `json:"brought,omitempty"`
}

// Errors that callers act on.
var (
	// ErrNotFound says that there is no such notebook or person.
	ErrNotFound = errors.New("not found")
	// ErrPurged says that the notebook was removed for good. It comes with ErrNotFound.
	ErrPurged = errors.New("removed for good")
	// ErrExists says that the id is taken.
	ErrExists = errors.New("exists already")
	// ErrOwner says that an owner's own role cannot be changed or taken away.
	ErrOwner = errors.New("the owner's own role cannot be changed")
)
