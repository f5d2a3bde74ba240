// Package directory has the words for what surrounds notebooks: which there are,
// who the people are, and what each of them may be where. It holds types only;
// an adapter stores them, and a host decides with them.
package directory

import (
	"errors"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// Notebook is one entry of the directory. What is in the notebook is in its log.
type Notebook struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Owner   string     `json:"owner"` // the id of a person
	Created event.Time `json:"created"`
	Updated event.Time `json:"updated"`           // by its log; may be up to a second behind
	Deleted event.Time `json:"deleted,omitempty"` // 0 while it is not deleted
}

// Person is somebody who has been here.
type Person struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Email   string     `json:"email,omitempty"`
	Created event.Time `json:"created"`
}

// Grant says what a person may be in a notebook. A person has at most one in each.
type Grant struct {
	Notebook string      `json:"notebook"`
	Person   string      `json:"person"`
	Role     access.Role `json:"role"`
}

// Query says which notebooks to list. Those updated last come first.
type Query struct {
	Person  string // only those in which this person has a role; empty for all
	Owner   string // only those that this person owns; empty for all
	Deleted bool   // the deleted ones instead of the others
	Limit   int    // how many at most; 0 for as many as one page may have
	After   Cursor // where the page before ended
}

// Cursor is a place in a list of notebooks. The zero Cursor is its start.
type Cursor struct {
	Updated event.Time
	ID      string
}

// Listing is a notebook in a list, with the role in it of the person who was
// asked for.
type Listing struct {
	Notebook
	Role access.Role `json:"role,omitempty"`
}

// Cursor returns the place of the listing, for the page after it.
func (l Listing) Cursor() Cursor { return Cursor{Updated: l.Updated, ID: l.ID} }

// Errors that callers act on.
var (
	// ErrNotFound says that there is no such notebook or person.
	ErrNotFound = errors.New("not found")
	// ErrExists says that the id is taken.
	ErrExists = errors.New("exists already")
	// ErrOwner says that an owner's own role cannot be changed or taken away.
	ErrOwner = errors.New("the owner's own role cannot be changed")
)
