package event

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEV18TheDepthOfAnEventIsThatOfItsJSON(t *testing.T) {
	pad := strings.Repeat("x", 4*MaxDepth)
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2) }
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"short":                   {`{"a":[1,2]}`, false},
		"as deep as it may":       {deep(MaxDepth), false},
		"deeper":                  {`[` + deep(MaxDepth) + `]`, true},
		"brackets in a string":    {`"` + strings.Repeat("[", 4*MaxDepth) + `"`, false},
		"behind an escape":        {`["` + pad + `\\\"` + strings.Repeat("[", 4*MaxDepth) + `\\"]`, false},
		"behind a string":         {`["` + pad + `\\",` + deep(MaxDepth) + `]`, true},
		"wide":                    {`[` + strings.Repeat("[],", 4*MaxDepth) + `1]`, false},
		"a string without an end": {`["` + pad, false},
	} {
		if got := CheckDepth([]byte(test.data)) != nil; got != test.want {
			t.Errorf("%s: got too deep %t, want %t", name, got, test.want)
		}
	}
}

func TestEV18ATooDeepEventOfALogIsKeptAndSaysNothing(t *testing.T) {
	value := strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990)
	data := `{"seq":7,"id":"c.3","actor":"person:ada","time":5,"type":"NotebookMetadataSet","payload":{"key":"k","value":` + value + `}}`
	e, err := Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	u, ok := e.Payload.(*Unknown)
	if !ok || u.Type() != "NotebookMetadataSet" || e.Seq != 7 || e.ID != (ID{Client: "c", N: 3}) {
		t.Fatalf("got event %d %s with a %T, want it kept as unknown", e.Seq, e.ID, e.Payload)
	}
	again, err := Append(nil, &e)
	if err != nil || !json.Valid(again) || string(again) != data {
		t.Errorf("it was not written as it came: %v", err)
	}
}
