package text

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTX1ParseReturnsTheNormalForm(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", `[]`, `[]`},
		{"only kept", `[5]`, `[]`},
		{"kept at the end", `[5,"a",3]`, `[5,"a"]`},
		{"all kinds", `[5,"abc",-3]`, `[5,"abc",-3]`},
		{"delete before insert", `[-3,"abc"]`, `["abc",-3]`},
		{"neighbours", `[1,2,"a","b",-1,-1,"c",4,"d"]`, `[3,"abc",-2,4,"d"]`},
		{"white space", " [ 1 ,\n\"a\"\t,\r-1 ] ", `[1,"a",-1]`},
		{"the longest text", `[1073741823,-1]`, `[1073741823,-1]`},
		{"escapes", `["\"\\\/\b\f\n\r\t\u00e9\u4E16\ud83d\uDE00"]`, `["\"\\/\u0008\u000c\n\r\té世😀"]`},
		{"text after an escape", `["a\nb é 😀"]`, `["a\nb é 😀"]`},
		{"an escaped zero", `["\u0000"]`, `["\u0000"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parse(t, tt.in)
			check(t, "edit", e.String(), tt.want)
			checkNormal(t, e)
		})
	}
}

func TestTX1ParseRefusesWhatIsNoEdit(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", ``, "want an array"},
		{"null", `null`, "want an array"},
		{"an object", `{}`, "want an array"},
		{"a number", `5`, "want an array"},
		{"an open array", `[`, "want a whole number"},
		{"an open array after a component", `[1`, "want a comma"},
		{"a comma at the end", `[1,]`, "want a whole number"},
		{"two commas", `[1,,2]`, "want a whole number"},
		{"no comma", `[1 2]`, "want a comma"},
		{"nesting", `[[1]]`, "want a whole number"},
		{"null inside", `[null]`, "want a whole number"},
		{"true inside", `[true]`, "want a whole number"},
		{"zero", `[0]`, "want a whole number"},
		{"minus zero", `[-0]`, "want a whole number"},
		{"only a minus", `[-]`, "want a whole number"},
		{"a plus", `[+1]`, "want a whole number"},
		{"a leading zero", `[01]`, "want a whole number"},
		{"a fraction", `[1.5]`, "want a comma"},
		{"a whole fraction", `[1.0]`, "want a comma"},
		{"an exponent", `[1e3]`, "want a comma"},
		{"more than any text", `[1073741825]`, "more than"},
		{"more than any text in sum", `[1073741824,"a",-1]`, "more than"},
		{"more than an int", `[99999999999999999999999999]`, "more than"},
		{"something behind", `[1]]`, "follows"},
		{"an empty string", `[1,""]`, "empty"},
		{"an open string", `["a`, "want a string"},
		{"an open escape", `["a\`, "escape"},
		{"an open string after an escape", `["\n`, "want a string"},
		{"an unknown escape", `["\x"]`, "escape"},
		{"an upper case escape", `["\U0041"]`, "escape"},
		{"a short escape", `["\u12"]`, "escape"},
		{"an escape that is not hex", `["\u12g4"]`, "escape"},
		{"a line feed", "[\"a\nb\"]", "control"},
		{"a line feed after an escape", "[\"\\t\n\"]", "control"},
		{"a high half", `["\ud83d"]`, "surrogate"},
		{"a high half and a letter", `["\ud83da"]`, "surrogate"},
		{"a high half and an escape", `["\ud83d\u0041"]`, "surrogate"},
		{"a low half", `["\ude00"]`, "surrogate"},
		{"halves in two strings", `["\ud83d","\ude00"]`, "surrogate"},
		{"broken UTF-8", "[\"\xff\"]", "UTF-8"},
		{"broken UTF-8 after an escape", "[\"\\n\xc3\"]", "UTF-8"},
		{"a half as UTF-8", "[\"\xed\xa0\xbd\"]", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Parse([]byte(tt.in))
			if err == nil {
				t.Fatalf("got %v, want an error", e)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) {
				t.Errorf("got error %q, want %q in it", got, tt.want)
			}
		})
	}
}

func TestJSONIsWhatOtherProgramsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := editsOf(texts().Draw(t, "s")).Draw(t, "e")
		var list []any
		if err := json.Unmarshal(e.AppendJSON(nil), &list); err != nil {
			t.Fatal(err)
		}
		check(t, "components", len(list), len(comps(e)))
		for i, v := range list {
			var want any = float64(comps(e)[i].n)
			if comps(e)[i].text != "" {
				want = comps(e)[i].text
			}
			check(t, "component", v, want)
		}
	})
}

func TestTX1EditsSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			Edit Edit `json:"edit"`
		}
		want := event{editsOf(texts().Draw(t, "s")).Draw(t, "e")}
		check(t, "parsed", parse(t, want.Edit.String()), want.Edit)
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got event
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		check(t, "unmarshalled", got, want)
	})
}

func TestUnmarshalRefusesWhatParseRefusesAndLeavesTheEdit(t *testing.T) {
	e := Insert(1, "a")
	for _, in := range []string{`null`, `[0]`, `["\ud83d"]`} {
		if err := json.Unmarshal([]byte(in), &e); err == nil {
			t.Errorf("took %s, want an error", in)
		}
		check(t, "edit", e, Insert(1, "a"))
	}
}

func TestTextsSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(texts().Draw(t, "s"), rapid.SampledFrom([]int{1, 400}).Draw(t, "times"))
		data, err := json.Marshal(NewText(s))
		if err != nil {
			t.Fatal(err)
		}
		var plain string
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		check(t, "as a string", plain, s)
		got := NewText("before")
		if err := json.Unmarshal(data, got); err != nil {
			t.Fatal(err)
		}
		check(t, "as a text", got.String(), s)
		checkChunks(t, got)
	})
}

func TestATextRefusesJSONThatIsNoText(t *testing.T) {
	for _, in := range []string{``, `5`, `null`, `["a"]`, `"a`, `"a"b`, `"\ud83d"`, "\"\xff\""} {
		text := NewText("before")
		if err := text.UnmarshalJSON([]byte(in)); err == nil {
			t.Errorf("got %q from %s, want an error", text, in)
		}
		check(t, "text", text.String(), "before")
	}
}

func TestJoiningManyInsertionsTakesLinearSpace(t *testing.T) {
	data := []byte(`["a"` + strings.Repeat(`,"a"`, 20000) + `]`)
	got := allocated(func() { parse(t, string(data)) })
	if limit := uint64(20 * len(data)); got > limit {
		t.Errorf("got %d bytes allocated for %d of input, want at most %d", got, len(data), limit)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`[]`, `[5,"abc",-3]`, `["\ud83d\ude00",1,"é😀"]`, `[1,2,"a","b",-1,"c"]`, `["\ud83d"]`, `[0]`, ` [ 1 ] x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Errorf("took %q, which is not JSON", data)
		}
		checkNormal(t, e)
		check(t, "parsed again", parse(t, e.String()), e)
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(`[1234,"x"]`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	e := Insert(1234, "x")
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = e.AppendJSON(buf[:0])
	}
}
