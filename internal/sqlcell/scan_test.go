package sqlcell

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatementsAreTakenApart(t *testing.T) {
	for source, want := range map[string][]string{
		"select 1; select 2":                            {"select 1", " select 2"},
		"select ';'; select $$;$$ ; select $a$;$$;$a$":  {"select ';'", " select $$;$$ ", " select $a$;$$;$a$"},
		"select E'\\';' ; select 2":                     {"select E'\\';' ", " select 2"},
		"select '\\'; select 2":                         {"select '\\'", " select 2"},
		`select "a;b" -- ; c` + "\n; /* ; /* ; */ */ ;": {`select "a;b" -- ; c` + "\n"},
		"create function f() returns int begin atomic select 1; select case when true then 1 end; end; select 3": {
			"create function f() returns int begin atomic select 1; select case when true then 1 end; end", " select 3",
		},
		"create rule r as on insert to t do also (insert into a values (1); insert into b values (2)); select 1": {
			"create rule r as on insert to t do also (insert into a values (1); insert into b values (2))", " select 1",
		},
		"begin; select 1; end": {"begin", " select 1", " end"},
		"":                     nil,
		" ;; -- x":             nil,
		"select $1, a$b$c":     {"select $1, a$b$c"},
	} {
		var got []string
		for _, part := range statements(source, scan(source)) {
			got = append(got, source[part[0]:part[1]])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", source, diff)
		}
	}
}

func TestParametersAreNumberedOutsideTexts(t *testing.T) {
	params := parameters{"a": json.RawMessage(`1`), "b": json.RawMessage(`null`)}
	b := bindNumbers("x :a, ':a', \"🐎:a\", :b::a, a[1:a], :c, :a $$:a$$ /* :a */ x := :ab", 100, params)
	if want := "x $1, ':a', \"🐎:a\", $2::a, a[1$1], :c, $1 $$:a$$ /* :a */ x := :ab"; b.source != want {
		t.Errorf("got  %s\nwant %s", b.source, want)
	}
	if string(b.values[0]) != "1" || b.values[1] != nil || len(b.values) != 2 {
		t.Errorf("got %q", b.values)
	}
	long := bindNumbers("select :long, nope", 5, parameters{"long": json.RawMessage("1")})
	if got := long.offset(strings.Index(long.source, "nope")); got != 5+strings.Index("select :long, nope", "nope") {
		t.Errorf("got %d", got)
	}
}

func FuzzStatements(f *testing.F) {
	for _, seed := range []string{
		"select 1; select ':a' || :b", "select $a$ ; $a$; /* /* */ ; */ select e'\\';'", "create function f() begin atomic select 1; end; x",
		"a[1:2] :: := :x \"y", "$", "'", "/*", "--", "e'\\", "\xff;\xff", "ſ:ſ", "1e5.x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tokens := scan(source)
		at := 0
		for _, token := range tokens {
			if token.start != at || token.end <= at {
				t.Fatalf("token %v begins at %d", token, at)
			}
			at = token.end
		}
		if at != len(source) {
			t.Fatalf("the tokens end at %d of %d", at, len(source))
		}
		end := 0
		for _, part := range statements(source, tokens) {
			if part[0] < end || part[1] < part[0] || strings.Trim(source[end:part[0]], "; \t\r\n") != "" && len(scanWithoutSpace(source[end:part[0]])) > 0 {
				t.Fatalf("statement %v after %d loses %q", part, end, source[end:part[0]])
			}
			end = part[1]
		}
		// Without parameters a statement stays as it is, and with one all the text around it does.
		if b := bindNumbers(source, 0, nil); b.source != source || len(b.values) != 0 {
			t.Fatalf("got %q", b.source)
		}
		b := bindNumbers(source, 0, parameters{"x": json.RawMessage("1")})
		if restored := strings.ReplaceAll(b.source, "$1", ":x"); strings.ReplaceAll(source, "$1", ":x") != restored {
			t.Fatalf("got %q of %q", b.source, source)
		}
		if _, fault := parse(source); fault != nil && fault.at > len(source) {
			t.Fatalf("a place behind the end: %+v", fault)
		}
	})
}

func scanWithoutSpace(source string) []token {
	var list []token
	for _, t := range scan(source) {
		if t.kind != tokenSpace && source[t.start:t.end] != ";" {
			list = append(list, t)
		}
	}
	return list
}

func FuzzArrays(f *testing.F) {
	for _, seed := range []string{"{1,2,NULL}", `{"a b","NULL",NULL}`, "{{1,2},{3,4}}", "[0:1]={1,2}", `{"\"\\"}`, "{}", "{,}", "{t,f}", strings.Repeat("{", 1000), "{1}}", "{NaN,1e5,01}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if list, ok := arrayJSON(text); ok && (!json.Valid(list) || list[0] != '[') {
			t.Fatalf("got %s of %q", list, text)
		}
		var any []any
		if json.Unmarshal([]byte(text), &any) != nil {
			return
		}
		list, ok := arrayJSON(arrayText(any)) // what is written can be read
		if !ok {
			t.Fatalf("got %s of %v", list, any)
		}
	})
}

func FuzzRecords(f *testing.F) {
	for _, seed := range []string{`[{"a":1}]`, `[{"a":1,"b":null},{"b":"x","c":[1]}]`, `[]`, `{}`, `[1]`, `[{"a":{"b":1}},{}]`, `[{}]`, "[null]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		frame, ok := frameOf(json.RawMessage(text))
		if !ok {
			return
		}
		known := map[string]bool{}
		for _, c := range frame.fields {
			if known[c.Name] {
				t.Fatalf("%q is twice in %q", c.Name, frame.fields)
			}
			known[c.Name] = true
		}
		err := frame.each(func(row map[string]json.RawMessage, keys []string) error {
			for _, key := range keys {
				if _, ok := row[key]; !ok || !known[key] {
					t.Fatalf("%q is not in %q", key, frame.fields)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
