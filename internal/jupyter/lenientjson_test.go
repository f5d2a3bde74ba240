package jupyter

import (
	"encoding/json"
	"testing"
)

func TestWhatAKernelSendsAsNearlyJSONIsRead(t *testing.T) {
	for sent, want := range map[string]string{
		`{"data":{"application/json":{"a":NaN,"b":[-Infinity,Infinity]}}}`: `{"data":{"application/json":{"a":"nan","b":["-inf","inf"]}}}`,
		`{"data":{"text/plain":"NaN \" Infinity","n":NaN}}`:                `{"data":{"n":"nan","text/plain":"NaN \" Infinity"}}`,
		`{"data":{"text/plain":"NaN"}}`:                                    `{"data":{"text/plain":"NaN"}}`,
	} {
		m := &message{content: json.RawMessage(sent)}
		var got any
		m.decode(&got)
		text, err := json.Marshal(got)
		if err != nil || string(text) != want {
			t.Errorf("%s: got %s and %v, want %s", sent, text, err, want)
		}
	}
	if err := unmarshal([]byte(`{"a":"NaN`), new(any)); err == nil {
		t.Error("got no error for what is cut off")
	}
}
