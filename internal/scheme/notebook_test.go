package scheme

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
)

func TestAProgramShowsValues(t *testing.T) {
	var got []string
	out := New(Config{}).Eval(t.Context(), Run{
		Source: `(display "a") (show-html "<b>b</b>") (show "text/plain" "1" "x") (update-shown! "x" "text/plain" "2") (show-markdown "*m*") (clear-output #t)`,
		Stdout: writerFunc(func(b []byte) { got = append(got, "text "+string(b)) }),
		Show: func(s Shown) error {
			got = append(got, fmt.Sprintf("%s %s %q %v", s.MIME, s.Text, s.ID, s.Update))
			return nil
		},
		Clear: func(wait bool) error {
			got = append(got, fmt.Sprint("clear ", wait))
			return nil
		},
	})
	want := []string{"text a", `text/html <b>b</b> "" false`, `text/plain 1 "x" false`, `text/plain 2 "x" true`, `text/markdown *m* "" false`, "clear true"}
	if out.Err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, out.Err, want)
	}
	values(t, [][2]string{{`(show-html "x")`, "error not-granted: show-html: this Scheme has no access to a display"}})
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

func TestAMissingAnswerIsAnError(t *testing.T) {
	out := New(Config{}).Eval(t.Context(), Run{
		Source: `(ask-secret "word? ")`,
		Ask: func(prompt string, secret bool) (string, error) {
			return "", errors.Join(fmt.Errorf("nobody is there for %s%v", prompt, secret), io.EOF)
		},
	})
	if out.Err == nil || out.Err.Name != kindAnswer {
		t.Errorf("got %+v, %v", out, out.Err)
	}
}

func TestVariablesAreExchangedAsJSON(t *testing.T) {
	in := New(Config{})
	for _, text := range []string{`42`, `1.5`, `"ü\n\""`, `true`, `null`, `[]`, `[1,[2,"x"]]`, `{"a":1,"b":[true,{"c":null}]}`, `123456789012345678901234567890`} {
		if err := in.SetJSON("shared", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := in.JSON("shared"); err != nil || string(got) != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
	}
	for source, want := range map[string]string{
		"'(1 2)": "[1,2]", "'()": "[]", "1/4": "0.25", "'sym": `"sym"`, `'((a . 1) (b . "x"))`: `{"a":1,"b":"x"}`, `#\é`: `"é"`,
	} {
		in.Eval(t.Context(), Run{Source: "(define v " + source + ")"})
		if got, err := in.JSON("v"); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", source, got, err, want)
		}
	}
	for _, source := range []string{"car", "+inf.0", "'(1 . 2)", "+i", "(let ((c (list 1))) (set-cdr! c c) c)", "(let ((v (vector 1))) (vector-set! v 0 v) v)"} {
		in.Eval(t.Context(), Run{Source: "(define v " + source + ")"})
		if got, err := in.JSON("v"); err == nil {
			t.Errorf("%s: got %s, want an error", source, got)
		}
	}
	for _, name := range []string{"", "a b", "é", "1", "x;y", "(", "#t"} {
		if err := in.SetJSON(name, []byte("1")); err == nil {
			t.Errorf("the variable %q was set", name)
		}
	}
	for _, text := range []string{"", "[1", `{"a"`, "nope"} {
		if err := in.SetJSON("v", []byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
