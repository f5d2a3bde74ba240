package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

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
	got, err := readParams([]byte(paramsJSON))
	want := params{
		{name: "text", literal: `"a \"q\" \\n\n\x00 ü 😀"`},
		{name: "empty", literal: `""`},
		{name: "count", literal: "4"},
		{name: "big", literal: "123456789012345678901234567890"},
		{name: "real", literal: "-1.5e-3"},
		{name: "yes", literal: "True"},
		{name: "no", literal: "False"},
		{name: "none", literal: "None"},
		{name: "list", literal: `[1, [], {"a": {"b": [None, "x"]}}]`},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(param{}), cmpopts.IgnoreFields(param{}, "value")); err != nil || diff != "" {
		t.Errorf("parameters (-want +got), %v:\n%s", err, diff)
	}
}

func TestAFileOfParametersKeepsItsValues(t *testing.T) {
	got, err := readParams([]byte(paramsJSON))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]json.RawMessage{}
	for _, p := range got {
		values[p.name] = p.value
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
	given, err := readParams([]byte(paramsJSON))
	if err != nil {
		t.Fatal(err)
	}
	given.set(param{name: "number", literal: pythonValue("-inf")})
	check := given.source() + `
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

func TestADamagedFileOfParametersSaysWhere(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{\"a\": 1,\n \"b\": x}", "line 2, column 7: "},
		{"[1]", "want an object"},
		{"{\"a\": 1", "line 1, column 7: it is not JSON: it ends too early"},
		{"", "line 1, column 1: it is not JSON: it ends too early"},
		{"{\"a\": [1, 2}", "line 1, column 12: "},
		{"{} {}", "line 1, column 4: "},
	} {
		if _, err := readParams([]byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.in, err, c.want)
		}
	}
}

func FuzzReadParams(f *testing.F) {
	f.Add([]byte(paramsJSON))
	f.Add([]byte(`{"a": [`))
	f.Fuzz(func(t *testing.T, data []byte) {
		given, err := readParams(data)
		if err == nil && strings.Count(given.source(), "\n") != len(given) && checkAll(given) == nil {
			t.Errorf("got %q, want a line for each of %d", given.source(), len(given))
		}
	})
}

func checkAll(given params) error {
	for _, p := range given {
		if err := checkParam(p.name); err != nil {
			return err
		}
	}
	return nil
}
