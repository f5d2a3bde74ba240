package scheme

import (
	"errors"
	"testing"
)

// readAll returns the data of a text, written, and the error that ends it.
func readAll(text string) (data []string, err error) {
	in := New(Config{})
	r := &reader{in: newTextIn([]rune(text)), intern: in.intern, src: &source{name: "text"}}
	for {
		v, _, err := r.read()
		if errors.Is(err, errEnd) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		w, err := written(v, false, cycleLabels)
		if err != nil {
			return data, err
		}
		data = append(data, w)
	}
}

func TestDataAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"42":                             "42",
		"-7":                             "-7",
		"#xFF":                           "255",
		"123456789012345678901234567890": "123456789012345678901234567890",
		"-1/3":                           "-1/3",
		"6/4":                            "3/2",
		"1e3":                            "1000.0",
		".5":                             "0.5",
		"1+2i":                           "1+2i",
		"+inf.0":                         "+inf.0",
		"(1 . 2)":                        "(1 . 2)",
		"(1 . (2 3))":                    "(1 2 3)",
		"[a b]":                          "(a b)",
		"'a":                             "'a",
		"`(a ,b ,@c)":                    "`(a ,b ,@c)",
		"#(1 #(2))":                      "#(1 #(2))",
		"#u8(0 255)":                     "#u8(0 255)",
		"#true":                          "#t",
		`#\a`:                            `#\a`,
		`#\x3bb`:                         `#\λ`,
		`#\space`:                        `#\space`,
		`#\(`:                            `#\(`,
		`"a\tb\x41;\n"`:                  `"a\tbA\n"`,
		"\"a\\   \n   b\"":               `"ab"`,
		"|a b|":                          "|a b|",
		"|a\\x41;|":                      "aA",
		"#;(hidden) shown":               "shown",
		"#| a #| b |# c |# d":            "d",
		"#0=(a . #0#)":                   "#0=(a . #0#)",
		"#!fold-case ABC":                "abc",
		"1+":                             "1+",
		"...":                            "...",
		"+":                              "+",
		"->x":                            "->x",
		"#e1.5":                          "3/2",
		"#i1/4":                          "0.25",
	} {
		got, err := readAll(text)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestWhatIsNoDatumIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int32
		message      string
	}{
		{"(a\n (b", 2, 2, "the ( is never closed"},
		{"a )", 1, 3, "a ) without its ("},
		{"\"abc", 1, 1, "the \" is never closed"},
		{"\n\n  \"a\\qb\"", 3, 5, "\\q is no escape"},
		{"(a . )", 1, 6, "a ) where the . wants a datum"},
		{"( . a)", 1, 3, "a . at the beginning of a list"},
		{"(a . b c)", 1, 8, "more than one datum after the ."},
		{"\"🐎\" )", 1, 6, "a ) without its ("}, // the horse takes two UTF-16 units
		{"#\\nonsense", 1, 1, "#\\nonsense is no character"},
		{"#q", 1, 1, "#q is no datum"},
		{"#u8(1 256)", 1, 7, "an element of a bytevector is no integer from 0 to 255"},
		{"(#1#)", 1, 2, "no datum has the label #1="},
		{"#0=#0#", 1, 1, "the label #0= stands for itself"},
		{"1/0", 1, 1, "the denominator of 1/0 is zero"},
		{"#| a", 1, 1, "the comment #| is never closed"},
		{"'", 1, 1, "the quote is not followed by a datum"},
		{"#e1e999999999", 1, 1, "1e999999999 is too large for an exact number"},
		{"#e+inf.0", 1, 1, "+inf.0 has no exact value"},
	} {
		_, err := readAll(c.text)
		got, ok := asCondition(err)
		if !ok || got.kind != kindRead || got.message != c.message || got.at.pos != (pos{c.line, c.column}) {
			t.Errorf("%q: got %+v, want %q at %d:%d", c.text, err, c.message, c.line, c.column)
			if ok {
				t.Log(got.at.pos)
			}
		}
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	deep := make([]byte, 20_000)
	for i := range deep {
		deep[i] = '('
	}
	if _, err := readAll(string(deep)); err == nil || err.Error() != "the text nests deeper than 10000 levels" {
		t.Errorf("got %v", err)
	}
}
