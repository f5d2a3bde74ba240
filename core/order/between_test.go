package order

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ids are the least id, the greatest, and some that tags in samples have.
var ids = []string{"-", "a", "ab", "b", "z", strings.Repeat("z", 64)}

func TestOR5AKeyIsBetweenItsNeighboursWhateverTheID(t *testing.T) {
	places := slices.Concat([]Place{{}}, samples)
	for _, lo := range places {
		for _, hi := range places {
			if lo != (Place{}) && hi != (Place{}) && Compare(lo, hi) >= 0 {
				continue
			}
			checkBetween(t, lo, hi, mustBetween(t, lo, hi))
		}
	}
}

func checkBetween(t *testing.T, lo, hi Place, key Key) {
	t.Helper()
	for _, id := range ids {
		p := Place{Key: key, ID: id}
		if lo != (Place{}) && Compare(lo, p) >= 0 {
			t.Errorf("Between(%v, %v): got %v, not above the lower", lo, hi, p)
		}
		if hi != (Place{}) && Compare(p, hi) >= 0 {
			t.Errorf("Between(%v, %v): got %v, not below the upper", lo, hi, p)
		}
	}
}

func TestOR5ThereIsRoomBeyondTheOutermostLevels(t *testing.T) {
	for _, key := range []Key{"####$", "#####R", "##########R", "#########$", "#####R!a!R"} {
		checkBetween(t, Place{}, Place{Key: key, ID: "a"}, mustBetween(t, Place{}, Place{Key: key, ID: "a"}))
	}
	for _, key := range []Key{"~~~~}", highest, highest + highest, highest + "!a!" + highest} {
		checkBetween(t, Place{Key: key, ID: "a"}, Place{}, mustBetween(t, Place{Key: key, ID: "a"}, Place{}))
	}
}

func TestOR7BetweenGivesTheKeysOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("../../spec/vectors/order.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name   string
		Lo, Hi Place
		Want   Key
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			got := mustBetween(t, v.Lo, v.Hi)
			if diff := cmp.Diff(v.Want, got); diff != "" {
				t.Errorf("Between(%v, %v) (-want +got):\n%s", v.Lo, v.Hi, diff)
			}
			checkBetween(t, v.Lo, v.Hi, got)
		})
	}
}

func TestOR9WhatCannotBeOrderedIsRefused(t *testing.T) {
	full := Key(strings.Repeat("R", MaxLen))
	tests := []struct {
		name   string
		lo, hi Place
		want   string
	}{
		{"one place twice", Place{"R", "a"}, Place{"R", "a"}, "is not before"},
		{"ids the wrong way round", Place{"R", "b"}, Place{"R", "a"}, "is not before"},
		{"keys the wrong way round", Place{"S", "a"}, Place{"R", "b"}, "is not before"},
		{"malformed key below", Place{"R R", "a"}, Place{}, "insert after: key"},
		{"malformed key above", Place{}, Place{"!a!", "a"}, "insert before: key"},
		{"key without id", Place{"R", ""}, Place{}, "insert after: id"},
		{"id without key", Place{}, Place{"", "a"}, "insert before: key is empty"},
		{"malformed id", Place{}, Place{"R", "a!b"}, "insert before: id"},
		{"no room", Place{full, "a"}, Place{full, "b"}, "no room"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key, err := Between(test.lo, test.hi)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, %v, want an error with %q", key, err, test.want)
			}
		})
	}
}

func FuzzBetween(f *testing.F) {
	f.Add("", "", "", "")
	f.Add("R", "a", "R", "b")
	f.Add("R!a!R", "a", "RJ!a!#####R", "b")
	f.Add("~~~~~!a!~~~~~", "a", "", "")
	f.Add("", "", "#####$", "b")
	f.Fuzz(func(t *testing.T, loKey, loID, hiKey, hiID string) {
		lo, hi := Place{Key(loKey), loID}, Place{Key(hiKey), hiID}
		key, err := Between(lo, hi)
		if err != nil {
			return
		}
		if err := key.Valid(); err != nil {
			t.Errorf("Between(%v, %v): %v", lo, hi, err)
		}
		checkBetween(t, lo, hi, key)
	})
}

func BenchmarkBetween(b *testing.B) {
	lo, hi := Place{"RJ!k3!Zb", "k3f9x-12"}, Place{"RK", "k3f9x-13"}
	for b.Loop() {
		if _, err := Between(lo, hi); err != nil {
			b.Fatal(err)
		}
	}
}
