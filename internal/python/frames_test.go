//go:build unix

package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// tableOf returns the variable x as a table after a source has set it.
func tableOf(t *testing.T, engine *Engine, source string) string {
	t.Helper()
	well(t, engine, source)
	got, err := engine.Table(t.Context(), "x")
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return string(got)
}

func TestAListOfDictsIsATable(t *testing.T) {
	engine := start(t, interpreter(t))
	got := tableOf(t, engine, `import datetime, decimal, uuid
x = [{"i": 1, "f": 1.5, "s": "é", "b": True, "d": datetime.date(2020, 1, 2), "t": datetime.datetime(2020, 1, 2, 3, 4, 5), "n": None, "l": [1], "m": decimal.Decimal("0.5")},
     {"i": None, "f": 2, "b": None, "m": decimal.Decimal("0.12345678901234567890"), "u": uuid.UUID(int=1)}]`)
	want := `{"schema":{"fields":[{"name":"i","type":"integer"},{"name":"f","type":"number"},{"name":"s","type":"string"},{"name":"b","type":"boolean"},
		{"name":"d","type":"date"},{"name":"t","type":"datetime"},{"name":"n","type":"any"},{"name":"l","type":"array"},{"name":"m","type":"number"},{"name":"u","type":"string"}]},
		"data":[{"i":1,"f":1.5,"s":"é","b":true,"d":"2020-01-02","t":"2020-01-02T03:04:05","n":null,"l":[1],"m":0.5,"u":null},
		{"i":null,"f":2,"s":null,"b":null,"d":null,"t":null,"n":null,"l":null,"m":"0.12345678901234567890","u":"00000000-0000-0000-0000-000000000001"}]}`
	if !sameJSON(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestATableOfManyRowsIsWhole(t *testing.T) {
	engine := start(t, interpreter(t))
	for _, n := range []int{999, 1000, 1001, 2500} {
		got := tableOf(t, engine, fmt.Sprintf("x = [{'a': i} for i in range(%d)]", n))
		if rows := strings.Count(got, `{"a":`); rows != n || !strings.Contains(got, fmt.Sprintf(`{"a":%d}]`, n-1)) || !json.Valid([]byte(got)) {
			t.Errorf("got %d rows of %d", rows, n)
		}
	}
}

func TestWhatIsNoTableIsRefusedByItsReason(t *testing.T) {
	engine := start(t, interpreter(t))
	for source, want := range map[string]error{
		"x = 1; del x":                         lang.ErrNoVariable,
		"x = 1":                                lang.ErrNoTable,
		"x = []":                               lang.ErrNoTable,
		"x = [{}, 1]":                          lang.ErrNoTable,
		"x = [{}]":                             errors.New("has no columns"),
		"x = [{'a': object()}]":                errors.New("x['a'] is of type object"),
		"x = [{'a': 1, 'A': 2, 1: 3, '1': 4}]": errors.New("two columns of one name"),
		"x = [{'a': 1}] * 1_000_001":           errors.New("1,000,000 can be passed"),
		"x = [{'a': 'b' * 1000}] * 40_000":     errors.New("32 MiB"),
	} {
		well(t, engine, source)
		got, err := engine.Table(t.Context(), "x")
		if err == nil || !errors.Is(err, want) && !strings.Contains(err.Error(), want.Error()) {
			t.Errorf("%s: got %.100s, %v, want %v", source, got, err, want)
		}
	}
}

func TestFramesOfPandasAreTablesWithTheirTypes(t *testing.T) {
	engine := start(t, need(t, "numpy", "pandas"))
	well(t, engine, "import numpy as np, pandas as pd")
	for _, c := range []struct{ source, fields, data string }{
		{
			"x = pd.DataFrame({'i': [1, 2], 'f': [0.5, np.nan], 's': ['a', np.nan], 'b': [True, False]})",
			`i:integer f:number s:string b:boolean`, `[{"i":1,"f":0.5,"s":"a","b":true},{"i":2,"f":null,"s":null,"b":false}]`,
		},
		{
			"x = pd.DataFrame({'t': pd.to_datetime(['2020-01-02', None]), 'n': pd.array([1, None], dtype='Int64'), 'c': pd.Categorical(['u', 'v'])})",
			`t:datetime n:integer c:string`, `[{"t":"2020-01-02T00:00:00","n":1,"c":"u"},{"t":null,"n":null,"c":"v"}]`,
		},
		{"x = pd.DataFrame({'a': [1, 2]}, index=[7, 8])", `a:integer`, `[{"a":1},{"a":2}]`},
		{"x = pd.DataFrame({'a': [1]}, index=pd.Index(['k'], name='key'))", `key:string a:integer`, `[{"key":"k","a":1}]`},
		{"x = pd.DataFrame({'a': [1.0], 'b': [2]}).iloc[:0]", `a:number b:integer`, `[]`},
		{
			"x = pd.DataFrame({'a': [2**63], 'f': [np.float32(0.1)], 'z': pd.to_datetime(['2020-01-02T03:04:05+02:00'])})",
			`a:integer f:number z:datetime`, `[{"a":9223372036854775808,"f":0.10000000149011612,"z":"2020-01-02T03:04:05+02:00"}]`,
		},
		{"x = pd.DataFrame({'a': [float('inf')]})", `a:number`, `[{"a":null}]`},
	} {
		var got struct {
			Schema struct {
				Fields []struct{ Name, Type string }
			}
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(tableOf(t, engine, c.source)), &got); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, f := range got.Schema.Fields {
			fields = append(fields, f.Name+":"+f.Type)
		}
		if strings.Join(fields, " ") != c.fields || !sameJSON(string(got.Data), c.data) {
			t.Errorf("%s: got %v, %s; want %s, %s", c.source, fields, got.Data, c.fields, c.data)
		}
	}
}

const arriving = `{"schema":{"fields":[{"name":"i","type":"integer"},{"name":"n","type":"integer"},{"name":"w","type":"integer"},{"name":"f","type":"number"},
	{"name":"x","type":"number"},{"name":"e","type":"number"},{"name":"b","type":"boolean"},{"name":"c","type":"boolean"},{"name":"s","type":"string"},
	{"name":"d","type":"date"},{"name":"t","type":"datetime"},{"name":"z","type":"datetime"},{"name":"o","type":"datetime"},{"name":"h","type":"time"},{"name":"l","type":"array"}]},
	"data":[{"i":1,"n":1,"w":"9007199254740993","f":0.5,"x":"NaN","e":"0.12345678901234567890","b":true,"c":true,"s":"a","d":"2020-01-02","t":"2020-01-02 03:04:05.5","z":"2020-01-02 03:04:05+02","o":"9999-01-01 00:00:00","h":"01:02:03","l":[1]},
	{"i":2,"n":null,"w":"1","f":null,"x":"1e+21","e":null,"b":false,"c":null,"s":null,"d":null,"t":null,"z":null,"o":null,"h":null,"l":null}]}`

func TestATableArrivesAsADataFrame(t *testing.T) {
	engine := start(t, need(t, "pandas"))
	if err := engine.SetTable(t.Context(), "x", json.RawMessage(arriving)); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "print(' '.join(f'{k}:{v}' for k, v in x.dtypes.items()))", "stdout: i:int64 n:Int64 w:int64 f:float64 x:float64 e:object b:bool c:boolean s:object d:datetime64[ns] t:datetime64[ns] z:datetime64[ns, UTC] o:object h:object l:object\n")
	expect(t, engine, "print(x.w[0], x.e[0], x.x[1], x.z[0], x.t[0], x.d[1], x.h[0], list(x.index), len(x))", "stdout: 9007199254740993 0.12345678901234567890 1e+21 2020-01-02 01:04:05+00:00 2020-01-02 03:04:05.500000 NaT 01:02:03 [0, 1] 2\n")
	if err := engine.SetTable(t.Context(), "x", json.RawMessage(`{"schema":{"fields":[{"name":"a","type":"integer"},{"name":"t","type":"datetime"}]},"data":[]}`)); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "print(x.shape, x.dtypes.a, x.dtypes.t)", "stdout: (0, 2) int64 datetime64[ns]\n")
}

func TestATableArrivesAsAListOfDictsWithoutPandas(t *testing.T) {
	engine := start(t, interpreter(t))
	if err := engine.SetTable(t.Context(), "x", json.RawMessage(`{"schema":{"fields":[{"name":"w","type":"integer"}]},"data":[{"w":"9007199254740993"},{"w":null}]}`)); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "print(x)", "stdout: [{'w': 9007199254740993}, {'w': None}]\n")
	if err := engine.SetTable(t.Context(), "a b", json.RawMessage(`{"schema":{"fields":[]},"data":[]}`)); err == nil {
		t.Error("a table of the name \"a b\" was set")
	}
}
