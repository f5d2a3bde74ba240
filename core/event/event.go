// Package event holds the facts that a notebook's log is made of.
//
// There is one struct per kind of event, in a file per family. Each is a fact in the past tense that, once it is in a
// log, never changes its meaning: a new meaning gets a new type. Types that this build does not know decode to
// [Unknown] and keep their payload unchanged. The package encodes and decodes events and checks their form; package
// notebook folds them, and packages access and room decide who may propose them.
package event

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Seq is the number of an event in its log: 1 for the first, without gaps. Zero means before the first, and in an event
// that it has no number yet.
type Seq uint64

// Time is a moment in milliseconds since 1970 in UTC, stamped by the room.
type Time int64

// ClientID names one replica for its lifetime. The replica chooses it at random, which makes the ids of its events
// unique.
type ClientID string

// ID names an event: the client that made it and that client's own counter,
// which only grows. A log holds each id at most once.
type ID struct {
	Client ClientID
	N      uint64
}

// String returns the id in its JSON form, the client and the counter with a dot between.
func (id ID) String() string {
	return string(id.Client) + "." + strconv.FormatUint(id.N, 10)
}

// ParseID reads what [ID.String] writes.
func ParseID(s string) (ID, error) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return ID{}, fmt.Errorf("event id %q: want a client, a dot and a counter", s)
	}
	n, err := strconv.ParseUint(s[i+1:], 10, 64)
	if err != nil || s[i+1] == '0' {
		return ID{}, fmt.Errorf("event id %q: want a counter from 1 after the dot, without leading zeros", s)
	}
	if err := checkName("client", s[:i]); err != nil {
		return ID{}, fmt.Errorf("event id %q: %w", s, err)
	}
	return ID{Client: ClientID(s[:i]), N: n}, nil
}

// MarshalText makes an id a JSON string.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads an id from a JSON string.
func (id *ID) UnmarshalText(b []byte) error {
	v, err := ParseID(string(b))
	if err != nil {
		return err
	}
	*id = v
	return nil
}

// Type names a kind of event, such as CellCreated.
type Type string

// Payload is the content of an event. The payloads are the pointers to this package's event structs, and *Unknown for
// types that this build does not know.
type Payload interface {
	// Type names the kind of event.
	Type() Type
	// Check reports a payload that is malformed in itself, whatever the state of the notebook: a missing id, an invalid
	// key, a negative length.
	Check() error
}

// Event is one fact with its envelope.
type Event struct {
	Seq     Seq     // given by the room
	ID      ID      // given by the author's replica
	Actor   Actor   // stamped by the room
	Time    Time    // stamped by the room
	Payload Payload // never nil in a decoded event
}

// Draft is an event as its author proposes it, before the room adds the rest of its envelope.
type Draft struct {
	ID      ID
	Payload Payload
}

// Record is an event in its JSON form: the bytes in a log and on the wire. Data must not be changed.
type Record struct {
	Seq  Seq
	Data []byte
}

// Unknown is an event of a type that this build does not know. It keeps the payload unchanged, and folds to nothing.
type Unknown struct {
	Name Type
	Raw  json.RawMessage
}

// Type returns the type name that was decoded.
func (u *Unknown) Type() Type { return u.Name }

// Check accepts every unknown event: only a newer build could judge it.
func (u *Unknown) Check() error { return nil }

// MarshalJSON returns the payload unchanged.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }
