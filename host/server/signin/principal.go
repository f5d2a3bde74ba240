package signin

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// owner is the person to whom the server belongs in local mode.
const owner = "owner"

// Principal is the author of a request. The zero one is unknown.
type Principal struct {
	Actor    event.Actor
	Person   string      // as the directory knows them; empty for programs
	Name     string      // of that person, for people; empty if it is not known
	Owner    bool        // of the server
	Cookie   bool        // known by a cookie, so that a page of another site may have made the request
	Began    time.Time   // when the browser signed in, if known by a cookie
	Half     bool        // unknown, but has a cookie without its other half
	Notebook string      // the only one that the token is good for; empty if it is not bound to one
	Role     access.Role // in that notebook
	Brings   bool        // may connect runtimes there, as an editor
	Expires  time.Time   // zero for never
	Issued   event.Time  // when the token was made; 0 if it does not say

	over  <-chan struct{}  // closed when the sign-in or token is revoked; nil if it cannot be
	until func() time.Time // when a sign-in ends, which renewing moves; nil for tokens
}

// Person is the person to whom a link or the sign-in of a browser belongs.
type Person struct {
	ID   string // as the directory knows them
	Name string // for people
}

// Owner is the person to whom the server belongs.
func Owner() Person { return Person{ID: owner, Name: "Owner"} }

// isOwner reports whether the server belongs to the person.
func (p Person) isOwner() bool { return p.ID == owner }

// principal returns the person as the author of requests.
func (p Person) principal() Principal {
	return Principal{Actor: event.NewActor(event.ActorPerson, p.ID), Person: p.ID, Name: p.Name, Owner: p.isOwner()}
}

// PersonNamed returns a person of whom the server knows only the name.
func PersonNamed(name string) Principal { return Principal{Person: name, Owner: name == owner} }

// Known reports whether the principal has shown valid credentials.
func (p Principal) Known() bool { return p.Actor != "" }

// HasPage reports whether the principal gets the page. Half a sign-in is enough for that: the
// page alone has nothing of a notebook.
func (p Principal) HasPage() bool { return p.Known() || p.Half }

// Key identifies the principal for rate limits.
func (p Principal) Key() string { return string(p.Actor) + "@" + p.Notebook }

// MayEnd reports whether the credentials can end.
func (p Principal) MayEnd() bool { return !p.Expires.IsZero() || p.over != nil }

// lookEvery is the interval at which the end of credentials is checked: a timer does not run
// while the machine sleeps, and does not follow a clock that is set.
const lookEvery = time.Minute

// AwaitEnd waits until the credentials have ended, because they expired without being renewed
// or were revoked, or until ctx ends.
func (p Principal) AwaitEnd(ctx context.Context, now func() time.Time) {
	for {
		left := lookEvery
		switch {
		case p.until != nil:
			left = p.until().Sub(now())
		case !p.Expires.IsZero():
			left = p.Expires.Sub(now())
		}
		if left <= 0 {
			return
		}
		timer := time.NewTimer(min(left, lookEvery))
		select {
		case <-timer.C:
		case <-p.over:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}
