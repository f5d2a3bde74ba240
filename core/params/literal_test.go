package params

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWhatStandsOnACommandLineIsAConstantANumberOrText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"true", "True"},
		{"True", "True"},
		{"false", "False"},
		{"null", "None"},
		{"None", "None"},
		{"TRUE", `"TRUE"`},
		{"5", "5"},
		{"-5", "-5"},
		{"+5", "5"},
		{"007", "7"},
		{"1_000", "1000"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"1.5", "1.5"},
		{".5", ".5"},
		{"5.", "5."},
		{"-1e-3", "-1e-3"},
		{"1_0.5", "1_0.5"},
		{"nan", `float("nan")`},
		{"-inf", `float("-inf")`},
		{"Infinity", `float("Infinity")`},
		{"", `""`},
		{".", `"."`},
		{"1__0", `"1__0"`},
		{"0x10", `"0x10"`},
		{"1e", `"1e"`},
		{"2025-01-01", `"2025-01-01"`},
		{"[1]", `"[1]"`},
	} {
		if got := pythonValue(c.in); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestTextIsALiteralOnOneLine(t *testing.T) {
	const text = "a \"b\" \\ 'c'\n\r\t\x00\x1b\u0085\u2028\U000e0001 ü 漢 😀"
	const want = `"a \"b\" \\ 'c'\n\r\t\x00\x1b\x85\u2028\U000e0001 ü 漢 😀"`
	if got := pythonText(text); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const paramsJSON = `{
  "text": "a \"q\" \\n\n\u0000 ü \ud83d\ude00", "empty": "", "count": 3, "big": 123456789012345678901234567890,
  "real": -1.5e-3, "yes": true, "no": false, "none": null, "list": [1, [], {"a": {"b": [null, "x"]}}], "count": 4
}`

func TestAFileOfParametersIsReadInItsOrderAndTheLastOfANameCounts(t *testing.T) {
	got, err := Read([]byte(paramsJSON))
	want := List{
		{Name: "text", Literal: `"a \"q\" \\n\n\x00 ü 😀"`},
		{Name: "empty", Literal: `""`},
		{Name: "count", Literal: "4"},
		{Name: "big", Literal: "123456789012345678901234567890"},
		{Name: "real", Literal: "-1.5e-3"},
		{Name: "yes", Literal: "True"},
		{Name: "no", Literal: "False"},
		{Name: "none", Literal: "None"},
		{Name: "list", Literal: `[1, [], {"a": {"b": [None, "x"]}}]`},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Param{}), cmpopts.IgnoreFields(Param{}, "Value")); err != nil || diff != "" {
		t.Errorf("parameters (-want +got), %v:\n%s", err, diff)
	}
}

func TestAFileOfParametersKeepsItsValues(t *testing.T) {
	got, err := Read([]byte(paramsJSON))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]json.RawMessage{}
	for _, p := range got {
		values[p.Name] = p.Value
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(paramsJSON), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestAParameterIsTheSameToJSONAsToPython(t *testing.T) {
	for in, want := range map[string]string{
		"true": "true", "None": "null", "007": "7", "-1_000": "-1000", "123456789012345678901234567890": "123456789012345678901234567890",
		".5": "0.5", "1_0e2": "1000", "1e999": `"1e999"`, "inf": `"inf"`, "NaN": `"NaN"`, "a \"b\"": `"a \"b\""`, "": `""`,
	} {
		if got := jsonValue(in); string(got) != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestPythonReadsTheLiteralsAsWhatTheJSONSays(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 in PATH")
	}
	given, err := Read([]byte(paramsJSON))
	if err != nil {
		t.Fatal(err)
	}
	given.Set(Param{Name: "number", Literal: pythonValue("-inf")})
	check := given.Source() + `
import json, sys
want = json.loads(sys.stdin.read())
assert number == float("-inf")
for name, value in want.items():
    got = globals()[name]
    assert got == value and type(got) is type(value), (name, got, value)
`
	cmd := exec.CommandContext(t.Context(), python, "-c", check)
	cmd.Stdin = strings.NewReader(paramsJSON)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s\n%s", err, out, check)
	}
}

func FuzzReadParams(f *testing.F) {
	f.Add([]byte(paramsJSON))
	f.Add([]byte(`{"a": [`))
	f.Fuzz(func(t *testing.T, data []byte) {
		given, err := Read(data)
		if err == nil && strings.Count(given.Source(), "\n") != len(given) {
			t.Errorf("got %q, want a line for each of %d", given.Source(), len(given))
		}
	})
}

// FuzzParams wants each value of a command line to be one literal of Python that means it.
func FuzzParams(f *testing.F) {
	for _, seed := range []string{"n=007", "x=1_000.5e-3", "t=a\"b\\c\n\t\x00é🐎\u2028", "yes=true", "none=null", "f=-Infinity", "é=1", "class=1", "=1", "a", "a=b=c", "x=+nan", "x='''"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		var given List
		for _, text := range []bool{false, true} {
			p, err := Parse(arg, text)
			if err != nil {
				return
			}
			given.Set(p)
			name, value, _ := strings.Cut(arg, "=")
			if len(given) != 1 || given[0].Name != name || strings.ContainsFunc(given[0].Literal, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q: got %q", arg, given)
			}
			if !json.Valid(given[0].Value) {
				t.Fatalf("%q: got %s, which is no JSON", arg, given[0].Value)
			}
			literal := given[0].Literal
			if inner, ok := strings.CutPrefix(literal, `"`); ok {
				if got := unescaped(strings.TrimSuffix(inner, `"`)); got != value {
					t.Fatalf("%q: got %s, which says %q", arg, literal, got)
				}
			}
		}
	})
}

// unescaped reads the inside of a Python literal. A quote that is not escaped would end it.
func unescaped(s string) string {
	var b strings.Builder
	for s != "" {
		if s[0] == '"' {
			return "it ends before its end"
		}
		if s[0] != '\\' {
			_, n := utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if plain, ok := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\'}[s[1]]; ok {
			b.WriteByte(plain)
			s = s[2:]
			continue
		}
		size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
		n := rune(0)
		for _, c := range s[2 : 2+size] {
			n = n<<4 | rune(strings.IndexRune("0123456789abcdef", c))
		}
		b.WriteRune(n)
		s = s[2+size:]
	}
	return b.String()
}
