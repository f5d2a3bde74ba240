//go:build unix

package python

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestValuesOfLibrariesArePassedInJSONsTypes(t *testing.T) {
	engine := start(t, interpreter(t))
	for _, c := range []struct{ source, want string }{
		{"x = {7: (1, 2.5), 'b': {3}, None: None, True: float('nan')}", `{"7":[1,2.5],"null":null,"true":null,"b":[3]}`},
		{"import datetime; x = [datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)]", `["2020-01-02","2020-01-02T03:04:05+00:00"]`},
		{"import enum\nclass E(enum.IntEnum):\n  A = 7\nx = E.A", `7`},
		{"x = 2**70", `1180591620717411303424`},
		{"x = range(3)", `[0,1,2]`},
	} {
		if got := passed(t, engine, c.source); !sameJSON(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.source, got, c.want)
		}
	}
}

func TestFramesArePassedAsRows(t *testing.T) {
	engine := start(t, need(t, "numpy", "pandas"))
	expect(t, engine, "import numpy as np, pandas as pd")
	for _, c := range []struct{ source, want string }{
		{"x = pd.DataFrame({'a': [1, 2], 'b': ['é', None], 'c': [0.5, float('nan')]})", `[{"a":1,"b":"é","c":0.5},{"a":2,"b":null,"c":null}]`},
		{"x = pd.DataFrame({'t': pd.to_datetime(['2020-01-02', None])})", `[{"t":"2020-01-02T00:00:00"},{"t":null}]`},
		{"x = pd.Series([1, None], dtype='Int64')", `[1,null]`},
		{"x = np.arange(4).reshape(2, 2)", `[[0,1],[2,3]]`},
		{"x = np.float32(0.5)", `0.5`},
	} {
		if got := passed(t, engine, c.source); !sameJSON(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.source, got, c.want)
		}
	}
}

func TestAValueThatJSONCannotHoldIsRefusedByItsPlace(t *testing.T) {
	engine := start(t, interpreter(t))
	for source, want := range map[string]string{
		"x = {'a': [1, object()]}":           "x['a'][1] is of type object",
		"x = len":                            "x is of type builtin_function_or_method",
		"x = [1]; x.append(x)":               "nested too deep",
		"x = {(1, 2): 3}":                    "a key of x is of type tuple",
		"x = 'a' * (40 << 20)":               "can be passed",
		"x = b'bytes'":                       "x is of type bytes",
		"x = 1; del x":                       "there is no variable x",
		"class D(dict):\n  pass\nx = D(a=1)": "",
	} {
		if _, failed := run(t, engine, source); failed != nil {
			t.Fatal(failed)
		}
		got, err := engine.Get(t.Context(), "x")
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || want == "" {
			t.Errorf("%s: got %s, %v, want an error with %q", source, got, err, want)
		}
	}
}

func sameJSON(a, b string) bool {
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber() // which keeps every digit
		if d.Decode(&v) != nil {
			return text
		}
		return v
	}
	return reflect.DeepEqual(read(a), read(b))
}

// passed returns the variable x as JSON after a source has set it.
func passed(t *testing.T, engine *Engine, source string) string {
	t.Helper()
	if _, failed := run(t, engine, source); failed != nil {
		t.Fatalf("%s: %v", source, failed)
	}
	got, err := engine.Get(t.Context(), "x")
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return string(got)
}
