package server_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/directory"
)

// hostileFiles are Jupyter files with content that no program writes, and whether they are accepted
// all the same.
func hostileFiles() map[string]struct {
	file  string
	taken bool
} {
	type row = struct {
		file  string
		taken bool
	}
	file := func(members string) string { return `{"nbformat":4,"nbformat_minor":5,` + members + `}` }
	cells := func(cells string) string { return file(`"metadata":{},"cells":[` + cells + `]`) }
	cell := func(members string) string {
		return cells(`{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":"1",` + members + `}`)
	}
	output := func(data string) string {
		return cells(`{"cell_type":"code","execution_count":null,"metadata":{},"source":"1","outputs":[{"output_type":"display_data","metadata":{},"data":` + data + `}]}`)
	}
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	deepObject := strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000)
	digits := strings.Repeat("9", 200_000)
	many := strings.TrimSuffix(strings.Repeat(`{"cell_type":"markdown","metadata":{},"source":"x"},`, 3_000), ",")
	return map[string]row{
		"deep metadata":            {file(`"metadata":{"a":` + deep + `},"cells":[]`), false},
		"deep objects":             {file(`"metadata":` + deepObject + `,"cells":[]`), false},
		"deep cells":               {cells(deep), false},
		"a deep output":            {output(`{"application/json":` + deep + `}`), false},
		"a deep source":            {cell(`"source":` + deep), false},
		"a deep name that is none": {`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[],"more":` + deep + `}`, false},
		"only opened":              {strings.Repeat(`[`, 1_000_000), false},
		"many digits in metadata":  {file(`"metadata":{"a":` + digits + `},"cells":[]`), true},
		"many digits in an output": {output(`{"application/json":` + digits + `}`), true},
		"many digits as a count":   {cell(`"execution_count":` + digits), false},
		"many digits as a version": {`{"nbformat":` + digits + `,"nbformat_minor":5,"metadata":{},"cells":[]}`, false},
		"a large exponent":         {file(`"metadata":{"a":1e999999},"cells":[]`), true},
		"an exponent as a count":   {cell(`"execution_count":1e999999`), false},
		"a negative count":         {cell(`"execution_count":-1`), false},
		"a broken count":           {cell(`"execution_count":1.5`), false},
		"a key twice":              {`{"nbformat":4,"nbformat":4,"nbformat_minor":5,"metadata":{},"metadata":{"a":1},"cells":[],"cells":[` + strings.Repeat(" ", 9) + `]}`, true},
		"a source twice":           {cell(`"source":"2"`), true},
		"an id twice":              {cells(strings.TrimSuffix(strings.Repeat(`{"id":"a","cell_type":"markdown","metadata":{},"source":"x"},`, 100), ",")), true},
		"an id of markup":          {cell(`"id":"<script>alert(1)</script>"`), true},
		"an id of a path":          {cell(`"id":"../../etc/passwd"`), true},
		"an empty id":              {cell(`"id":""`), true},
		"a long id":                {cell(`"id":"` + strings.Repeat("x", 100_000) + `"`), true},
		"a long name of a file":    {cells(`{"cell_type":"markdown","metadata":{},"source":"","attachments":{"` + strings.Repeat("x", 200_000) + `":1}}`), false},
		"many cells":               {cells(many), true},
		"half a surrogate":         {cell(`"source":"\ud800 \udc00 \ud800\ud800"`), true},
		"half a surrogate as key":  {file(`"metadata":{"\ud800":1},"cells":[]`), true},
		"no text":                  {cell("\"source\":\"\xff\xfe\x80\""), false},
		"zeros":                    {cell(`"source":"\u0000\u0000"`), true},
		"a line of 1 MB":           {cell(`"source":"` + strings.Repeat("x", 1<<20) + `"`), true},
		"an output of 1 MB":        {output(`{"text/html":"` + strings.Repeat("<b>", 1<<20/3) + `"}`), true},
		"prototypes":               {file(`"metadata":{"__proto__":{"a":1},"constructor":{"prototype":{}}},"cells":[]`), true},
		"types of outputs":         {output(`{"<script>":"x","":"y","text/html\u0000":"z"}`), true},
		"a cell that is none":      {cells(`{"cell_type":"evil","metadata":{},"source":"x"}`), true},
		"cells that are none":      {cells(`1,null,"x"`), false},
		"a text in place of all":   {`"notebook"`, false},
		"NaN":                      {file(`"metadata":{"a":NaN},"cells":[]`), true},
		"two files":                {file(`"metadata":{},"cells":[]`) + file(`"metadata":{},"cells":[]`), false},
		"a bomb of entities":       {`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>`, false},
		"nothing":                  {"", false},
	}
}

func TestHostileFilesAreRefusedByNameOrTakenAndGoAroundUnharmed(t *testing.T) {
	w := newWorld(t)
	for name, test := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			post := request{method: "POST", path: "/api/notebooks/import?format=ipynb", token: ownerToken, body: test.file}
			a := w.do(t, post)
			if taken := a.status == 201; taken != test.taken {
				t.Fatalf("got %d %.300s, want it taken: %v", a.status, a.body, test.taken)
			}
			if !test.taken {
				if p := a.problem(t); a.status < 400 || a.status > 422 || p.Detail == "" || len(p.Detail) > 2_000 {
					t.Errorf("got %d %.300s, want the reason", a.status, a.body)
				}
				return
			}
			var made directory.Listing
			a.into(t, &made)
			path := "/api/notebooks/" + made.ID
			w.do(t, request{method: "GET", path: path + "/view", token: ownerToken}).want(t, 200)
			for _, format := range []string{"py", "md"} {
				w.do(t, request{method: "GET", path: path + "/export?format=" + format, token: ownerToken}).want(t, 200)
			}
			file := w.do(t, request{method: "GET", path: path + "/export", token: ownerToken}).want(t, 200)
			post.body = file.body
			w.do(t, post).want(t, 201).into(t, &made)
			again := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export", token: ownerToken}).want(t, 200)
			if again.body != file.body {
				t.Errorf("the second file is another: %d bytes, want %d", len(again.body), len(file.body))
			}
			p := w.join(t, made.ID, ownerToken, "c1") // and it can be opened
			p.titled("Fine")
		})
	}
	w.do(t, request{method: "GET", path: "/api/health"}).want(t, 200)
	if text := w.log.String(); strings.Contains(text, "panic") {
		t.Errorf("got a panic: %s", text)
	}
}
