package sqlcell_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/internal/sqlcell"
)

const resource = "application/vnd.dataresource+json"

func TestTypesOfSQLiteAreKept(t *testing.T) {
	e := open(t, sqlcell.Config{})
	got := last(t, good(t, e, `select 1 as i, 9007199254740993 as big, -9223372036854775808 as least, 1.0 as f, 1e300 as e, 9e999 as inf,
		'' as empty, null as missing, 'NULL' as word, x'' as noblob, x'00ff10' as b, 'é🐎' as u, 1 as i, 'a' || char(0) || 'b' as nul`), resource)
	want := `{"schema":{"fields":[{"name":"i","type":"integer"},{"name":"big","type":"integer"},{"name":"least","type":"integer"},{"name":"f","type":"number"},` +
		`{"name":"e","type":"number"},{"name":"inf","type":"number"},{"name":"empty","type":"string"},{"name":"missing","type":"any"},{"name":"word","type":"string"},` +
		`{"name":"noblob","type":"string"},{"name":"b","type":"string"},{"name":"u","type":"string"},{"name":"i_2","type":"integer"},{"name":"nul","type":"string"}]},` +
		`"data":[{"i":1,"big":"9007199254740993","least":"-9223372036854775808","f":1.0,"e":1e+300,"inf":"Infinity","empty":"","missing":null,"word":"NULL",` +
		`"noblob":"x'' (0 bytes)","b":"x'00ff10' (3 bytes)","u":"é🐎","i_2":1,"nul":"a\u0000b"}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTypesOfPostgreSQLAreKept(t *testing.T) {
	e := onServer(t)
	got := last(t, good(t, e, `-- connection: db
		select 1 as i, 9007199254740993 as big, 12345678901234567890.123456789::numeric as dec, 1.50::numeric(10,2) as money, 1.5::float8 as f, 'NaN'::float8 as nan,
		true as yes, null::bool as maybe, date '2024-02-29' as d, timestamp '2024-02-29 12:00:00.5' as ts, timestamptz '2024-02-29 12:00:00+02' as tz,
		'infinity'::timestamp as ever, time '12:30' as tm, interval '1 day 2 hours' as iv, '\x00ff'::bytea as b, '{"a": [1, null], "b": 9007199254740993}'::jsonb as j,
		array[1,2,null] as a, array[['x','y z'],['NULL',null]] as aa, array[true,false] as bools, '00000000-0000-0000-0000-000000000001'::uuid as id, '' as empty, null as missing`), resource)
	want := `"data":[{"i":1,"big":"9007199254740993","dec":"12345678901234567890.123456789","money":1.50,"f":1.5,"nan":"NaN",` +
		`"yes":true,"maybe":null,"d":"2024-02-29","ts":"2024-02-29 12:00:00.5","tz":"2024-02-29 10:00:00+00","ever":"infinity","tm":"12:30:00","iv":"1 day 02:00:00","b":"x'00ff' (2 bytes)",` +
		`"j":{"a":[1,null],"b":9007199254740993},"a":[1,2,null],"aa":[["x","y z"],["NULL",null]],"bools":["t","f"],"id":"00000000-0000-0000-0000-000000000001","empty":"","missing":null}]}`
	if !json.Valid([]byte(got)) || !strings.HasSuffix(got, want) {
		t.Error(cmp.Diff(want, got[strings.Index(got, `"data"`):]))
	}
	var table struct {
		Schema struct {
			Fields []struct{ Name, Type string }
		}
	}
	if err := json.Unmarshal([]byte(got), &table); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, f := range table.Schema.Fields {
		types = append(types, f.Name+" "+f.Type)
	}
	wanted := "i integer, big integer, dec number, money number, f number, nan number, yes boolean, maybe boolean, d date, ts datetime, tz datetime, ever any, tm time, iv string, b string, j any, a array, aa array, bools array, id string, empty string, missing string"
	if diff := cmp.Diff(wanted, strings.Join(types, ", ")); diff != "" {
		t.Error(diff)
	}
}

func TestPlainTextIsAligned(t *testing.T) {
	want(t, open(t, sqlcell.Config{}), `select '日本' as "name", 1 as n, 'x' as "last
line" union all select 'é', 1000, 'a	b' || char(27) || '[31m' union all select null, null, '`+strings.Repeat("ab", 60)+`'`,
		"result:  name |    n | last␊line\n------+------+----------------------------------------------------------------------------------\n"+
			" 日本 |    1 | x\n é    | 1000 | a␉b␛[31m\n NULL | NULL | "+strings.Repeat("ab", 39)+"a…\n(3 rows)")
}

func TestHTMLIsEscaped(t *testing.T) {
	got := last(t, good(t, open(t, sqlcell.Config{}), `create table t ("<b>" "<i>"); insert into t values ('<script>alert(1)</script>'), (null); select * from t`), "text/html")
	want := `<table class="dataframe">
<thead>
<tr><th style="text-align: left" title="&lt;i&gt;">&lt;b&gt;</th></tr>
</thead>
<tbody>
<tr><td style="text-align: left">&lt;script&gt;alert(1)&lt;/script&gt;</td></tr>
<tr><td style="text-align: left"><i>NULL</i></td></tr>
</tbody>
</table>
<p>2 rows</p>`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALargeValueIsCutWithItsSize(t *testing.T) {
	lite, server := open(t, sqlcell.Config{}), onServer(t)
	got := last(t, good(t, lite, "select printf('%.*c', 3000, 'é') as t, zeroblob(3000000) as b"), resource)
	if !strings.Contains(got, "é… (3,000 bytes)") && !strings.Contains(got, "é… (6,000 bytes)") || !strings.Contains(got, strings.Repeat("00", 32)+"…' (3,000,000 bytes)") || len(got) > 5000 {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
	got = last(t, good(t, server, "-- connection: db\nselect repeat('é', 5000) as t, decode(repeat('00', 50000), 'hex') as b, to_jsonb(repeat('x', 5000)) as j"), resource)
	if !strings.Contains(got, "é… (10,000 bytes)") || !strings.Contains(got, strings.Repeat("00", 32)+"…' (50,000 bytes)") || !strings.Contains(got, "x… (5,002 bytes)") || !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
}

func TestATableIsBounded(t *testing.T) {
	e := open(t, sqlcell.Config{})
	r := good(t, e, "with recursive c(x) as (select 1 union all select x+1 from c limit 700) select x, hex(zeroblob(1100)) as y, hex(zeroblob(1200)) as z from c")
	if got := last(t, r, resource); len(got) > 5<<20 {
		t.Errorf("got %d bytes", len(got))
	}
	if got := last(t, r, "text/plain"); !strings.HasSuffix(got, " of 700 rows shown)") {
		t.Errorf("got %q", got[len(got)-60:])
	}
}

// What a frame has comes back from its table.
func TestFramesComeBack(t *testing.T) {
	e := open(t, sqlcell.Config{})
	value := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-1<<53+1, 1<<53-1), func(n int64) any { return json.Number(jsonOf(n)) }),
		rapid.Map(rapid.StringOf(rapid.SampledFrom([]rune("ab'\";-é🐎\n\t%NUL0"))), func(s string) any { return s }),
		rapid.Map(rapid.Float64Range(-1e15, 1e15), func(f float64) any { return json.Number(jsonOf(f + 0.5)) }),
		rapid.Just[any](nil),
	)
	rapid.Check(t, func(r *rapid.T) {
		columns := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z "']{1,6}[0-9]{2}`), 1, 5, rapid.ID[string]).Draw(r, "columns")
		rows := make([]map[string]any, rapid.IntRange(1, 6).Draw(r, "rows"))
		for i := range rows {
			rows[i] = map[string]any{}
			for _, c := range columns {
				rows[i][c] = value.Draw(r, "value")
			}
		}
		if err := e.Set(t.Context(), "frame", json.RawMessage(jsonOf(rows))); err != nil {
			r.Fatal(err)
		}
		got, err := e.Get(t.Context(), "frame")
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(normal(jsonOf(rows)), normal(string(got))); diff != "" {
			r.Fatal(diff)
		}
	})
}

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// normal returns rows as values that can be compared.
func normal(raw string) any {
	var v []map[string]any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		panic(err)
	}
	return v
}
