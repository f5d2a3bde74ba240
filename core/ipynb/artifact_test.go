package ipynb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

func TestIP11AnOutputWhoseBytesAreElsewhereNamesThem(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	artifacts := map[string]event.Artifact{"image/png": {Hash: hash, Size: 123}}
	plain := map[string]json.RawMessage{"text/plain": json.RawMessage(`"<Figure>"`)}
	tests := []struct {
		name string
		data map[string]json.RawMessage
		want string
	}{
		{"without a text", nil, "[image/png of 123 bytes is not in this file: sha256 " + hash + "]"},
		{"with a text of its own", plain, "<Figure>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := fold(t, mustImport(t, oneCell("code", `{}`)))
			apply(t, n, &event.OutputsImported{Cell: "a", Outputs: []event.Output{{Kind: event.OutputDisplay, Data: test.data, Artifacts: artifacts}}})
			out, err := (&exporter{notebook: n}).outputs(n.Cell("a"))
			if err != nil {
				t.Fatal(err)
			}
			want := []any{object{
				"output_type": "display_data",
				"data":        object{"text/plain": []any{test.want}},
				"metadata":    object{"quire": object{"artifacts": object{"image/png": object{"hash": hash, "size": json.Number("123")}}}},
			}}
			if diff := cmp.Diff(want, out); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIP11AFileCannotClaimBytesThatItDoesNotHold(t *testing.T) {
	exported := mustExport(t, ran(t))
	n := fold(t, mustImport(t, exported))
	for _, id := range n.Cells() {
		for _, o := range n.Cell(id).Outputs {
			if v := n.Output(o).Value(); len(v.Artifacts) > 0 {
				t.Errorf("got the artifacts %v from a file, want none", v.Artifacts)
			}
		}
	}
	if diff := cmp.Diff(string(exported), string(through(t, exported))); diff != "" {
		t.Errorf("the file that comes back (-exported +again):\n%s", diff)
	}
}
