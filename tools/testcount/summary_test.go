package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTestsAreCountedAndFailuresShownAsTheyWere(t *testing.T) {
	tests := []struct {
		name, in, out, totals string
	}{
		{
			"passes and skips are counted, not shown",
			`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Elapsed":1.25}
{"Action":"skip","Package":"without/tests"}
`,
			"ok    p  1.2s\n",
			"1 passed, 0 failed, 1 skipped",
		},
		{
			"a failure is shown and counted once",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: got 1,"}
{"Action":"output","Package":"p","Test":"TestA","Output":" want 2\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p","Elapsed":0.5}
`,
			"    a_test.go:1: got 1, want 2\nFAIL  p  0.5s\n",
			"0 passed, 1 failed, 0 skipped",
		},
		{
			"a package that does not build is a failure",
			`{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:1: syntax error\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`,
			"p.go:1: syntax error\nFAIL\tp [build failed]\nFAIL  p  0.0s\n",
			"0 passed, 1 failed, 0 skipped",
		},
		{
			"a package that runs twice is judged each time",
			`{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`,
			"FAIL  p  0.0s\nFAIL  p  0.0s\n",
			"1 passed, 2 failed, 0 skipped",
		},
		{
			"a test that never ended has failed",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"half"}`,
			"half",
			"0 passed, 1 failed, 0 skipped",
		},
		{
			"a test that never ended is shown with its package, which may be tested again",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"p","Elapsed":600}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`,
			"panic: test timed out\nFAIL  p  600.0s\nok    p  0.0s\n",
			"1 passed, 1 failed, 0 skipped",
		},
		{
			"what is not a record is passed on",
			"go: cannot find module\n{\"other\":1}\n",
			"go: cannot find module\n{\"other\":1}\n",
			"0 passed, 0 failed, 0 skipped",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			s, err := read(strings.NewReader(test.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.out, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if got, want := s.String(), test.totals; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
