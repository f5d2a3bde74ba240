package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/internal/jsonscan"
)

// values are JSON values, and bytes that are nearly some.
var values = []string{
	`""`, `"a"`, `"é"`, `"a\"b\\c\/d\b\f\n\r\t"`, `"\u003ca\u003e"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\u00"`, `"\x"`, "\"\n\"", "\"\xff\"", `"`, `"\`, `"a" `,
	`0`, `7`, `007`, `12345678901234567890`, `-1`, `1.5`, `true`, `null`, ``,
	`{}`, `{"a":1,"b":"}","c":{"d":[1,2]}}`, `{"a":"\\"}`, `{"a":"\""}`, `{"a"`, `}`, `[1,"]",[]]`, ` {}`, `{} `, `{"a":1}}`, `{]}`,
}

func TestAScannerTakesTheMembersOfAnObject(t *testing.T) {
	s := jsonscan.New([]byte(`{"id":"c1","title":"a\u003cb é","n":12,"kind":"code","again":"code","raw":{"x":[1,"}"]},"list":[1,2],"last":true}`))
	s.Lit(`{"id":`)
	id := string(s.Plain())
	if !s.Has(`,"title":`) || s.Has(`,"other":`) {
		t.Fatal("the members are not found in their order")
	}
	title := s.Str()
	s.Lit(`,"n":`)
	n := s.Uint()
	s.Lit(`,"kind":`)
	kind := s.Name()
	s.Lit(`,"again":`)
	again := s.Name()
	s.Lit(`,"raw":`)
	raw := string(s.Raw())
	s.Lit(`,"list":`)
	var list []int
	s.Any(&list)
	s.Lit(`,"last":true}`)
	if !s.OK() || len(s.Rest()) > 0 {
		t.Fatalf("it gave up before %q", s.Rest())
	}
	if id != "c1" || title != "a<b é" || n != 12 || kind != "code" || again != "code" || raw != `{"x":[1,"}"]}` || len(list) != 2 {
		t.Errorf("got %q, %q, %d, %q, %q, %s, %v", id, title, n, kind, again, raw, list)
	}
}

func TestAScannerThatGaveUpTakesNothingMore(t *testing.T) {
	s := jsonscan.New([]byte(`{"id":"é","n":1}`))
	s.Lit(`{"id":`)
	s.Plain()
	if s.OK() || s.Has(`é`) {
		t.Error("it goes on behind a string that is not plain")
	}
	s = jsonscan.New([]byte(`1`))
	s.Fail()
	if s.OK() || s.Has(`1`) {
		t.Error("it goes on after Fail")
	}
}

// Whatever a scanner takes as a whole value, encoding/json reads alike.
func FuzzScan(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		for name, take := range map[string]func(s *jsonscan.Scanner) any{
			"Plain": func(s *jsonscan.Scanner) any { return string(s.Plain()) },
			"Str":   func(s *jsonscan.Scanner) any { return s.Str() },
			"Name":  func(s *jsonscan.Scanner) any { return s.Name() },
			"Uint":  func(s *jsonscan.Scanner) any { return s.Uint() },
			"Any":   func(s *jsonscan.Scanner) any { var v string; s.Any(&v); return v },
		} {
			s := jsonscan.New(data)
			got := take(&s)
			if !s.OK() || len(s.Rest()) > 0 {
				continue
			}
			var word string
			var number uint64
			want := any(&word)
			if name == "Uint" {
				want = &number
			}
			if err := json.Unmarshal(data, want); err != nil {
				t.Fatalf("%s takes %q, encoding/json: %v", name, data, err)
			}
			if got != any(word) && got != any(number) {
				t.Fatalf("%s of %q: got %v, want %q or %d", name, data, got, word, number)
			}
		}
		s := jsonscan.New(data)
		if raw := s.Raw(); s.OK() && !json.Valid(raw) && !plain(raw) {
			t.Fatalf("Raw of %q takes %q", data, raw)
		}
		if object := bytes.TrimRight(data, " \t\r\n"); json.Valid(data) && bytes.HasPrefix(data, []byte("{")) && jsonscan.ObjectLen(data) != len(object) {
			t.Fatalf("ObjectLen of %q: got %d, want %d", data, jsonscan.ObjectLen(data), len(object))
		}
		if !bytes.Equal(data, before) {
			t.Fatalf("the data changed from %q to %q", before, data)
		}
	})
}

// plain reports whether a string has no escape: Raw leaves the check of its bytes to those who read it.
func plain(raw []byte) bool {
	return len(raw) > 1 && raw[0] == '"' && !bytes.Contains(raw, []byte(`\`))
}

// String reads what encoding/json reads, but for broken text, which that replaces by U+FFFD.
func FuzzString(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, n, err := jsonscan.String(data)
		if n < 0 || n > len(data) {
			t.Fatalf("length %d of %q", n, data)
		}
		if err == nil {
			var want string
			if e := json.Unmarshal(data[:n], &want); e != nil || got != want {
				t.Fatalf("%q: got %q, want %q and %v", data[:n], got, want, e)
			}
			return
		}
		var want string
		if json.Unmarshal(data, &want) == nil && bytes.HasPrefix(data, []byte(`"`)) && !strings.ContainsRune(want, '\uFFFD') {
			t.Fatalf("%q: got %v, want %q", data, err, want)
		}
	})
}
