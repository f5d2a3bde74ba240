package event_test

import (
	"math"
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestEV2TheNumberOfARecordIsReadWithoutTheRest(t *testing.T) {
	for data, want := range map[string]event.Seq{
		`{"seq":7,"id":"a.1"`:                7,
		`{"seq":18446744073709551615,"x":1}`: math.MaxUint64,
		`{ "id":"a.1", "seq": 8 }`:           8,
		`{"seq":9}`:                          9,
		`{"seq":9x,`:                         0,
		`{"seq":-1,"id":"a.1"}`:              0,
		`[]`:                                 0,
		``:                                   0,
	} {
		if got := event.SeqOf([]byte(data)); got != want {
			t.Errorf("SeqOf(%s): got %d, want %d", data, got, want)
		}
	}
}

func TestEV3IDsHaveOneForm(t *testing.T) {
	for s, want := range map[string]event.ID{
		"a.1":                      {Client: "a", N: 1},
		"Zz9-_.907":                {Client: "Zz9-_", N: 907},
		"a.18446744073709551615":   {Client: "a", N: math.MaxUint64},
		long(event.MaxName) + ".1": {Client: event.ClientID(long(event.MaxName)), N: 1},
	} {
		got, err := event.ParseID(s)
		if err != nil || got != want {
			t.Errorf("ParseID(%q): got %v, %v, want %v", s, got, err, want)
		}
		if got.String() != s {
			t.Errorf("String: got %q, want %q", got, s)
		}
	}
}

func TestEV3OtherIDsAreRefused(t *testing.T) {
	for _, s := range []string{
		"", "a", ".", ".1", "a.", "a.0", "a.01", "a.+1", "a.-1", "a.1 ", "a.1.2", "a b.1", "é.1", "a.18446744073709551616",
		"a.1e3", "a.0x1", "a.1_0", long(event.MaxName+1) + ".1",
	} {
		if got, err := event.ParseID(s); err == nil {
			t.Errorf("ParseID(%q): got %v, want an error", s, got)
		}
	}
}

func TestEV4AnActorIsAKindAndAName(t *testing.T) {
	for _, c := range []struct {
		actor event.Actor
		kind  event.ActorKind
		name  string
	}{
		{event.NewActor(event.ActorPerson, "ada"), event.ActorPerson, "ada"},
		{event.NewActor(event.ActorKey, "ci:nightly"), event.ActorKey, "ci:nightly"},
		{event.NewActor(event.ActorRoom, ""), event.ActorRoom, ""},
		{"ada", "", ""},
		{":ada", "", "ada"},
		{"", "", ""},
	} {
		if kind, name := c.actor.Kind(), c.actor.Name(); kind != c.kind || name != c.name {
			t.Errorf("%q: got %q and %q, want %q and %q", c.actor, kind, name, c.kind, c.name)
		}
	}
}
