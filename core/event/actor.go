package event

import "strings"

// Actor names the author of an event: a kind and a name with a colon between, such as person:ada or runtime:k3x9. The
// room stamps it from the connection; a client can never claim one.
type Actor string

// ActorKind is the part of an [Actor] before the colon.
type ActorKind string

// The kinds of actors. The room itself is the actor of events that no member may author, such as the end of a runtime's
// lease.
const (
	ActorPerson    ActorKind = "person"
	ActorRuntime   ActorKind = "runtime"
	ActorAssistant ActorKind = "assistant"
	ActorKey       ActorKind = "key"
	ActorRoom      ActorKind = "room"
)

// NewActor joins a kind and a name.
func NewActor(kind ActorKind, name string) Actor { return Actor(string(kind) + ":" + name) }

// Kind returns the kind of the actor, empty if there is none.
func (a Actor) Kind() ActorKind {
	kind, _, ok := strings.Cut(string(a), ":")
	if !ok {
		return ""
	}
	return ActorKind(kind)
}

// Name returns the actor's name within its kind.
func (a Actor) Name() string {
	_, name, _ := strings.Cut(string(a), ":")
	return name
}
