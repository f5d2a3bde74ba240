package ipynb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzIP15OutputsOutsideTheLog requires a file to be the same whether its outputs are in the log or outside it, for any
// contents.
func FuzzIP15OutputsOutsideTheLog(f *testing.F) {
	for _, name := range corpus(f) {
		f.Add(read(f, name))
	}
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":1,"outputs":[` +
		`{"output_type":"display_data","metadata":{"image/png":{"width":1}},"data":{"image/png":"iVBORw0K\nGgo=\n","application/json":{"a":[1e400]},"text/plain":["a\n","b"],"text/html":""}},` +
		`{"output_type":"stream","name":"stdout","text":["a\r","b\n","\u001b[31mc"]},{"output_type":"stream","name":"stdout","text":"d"},` +
		`{"output_type":"error","ename":"E","evalue":"","traceback":[]}]}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := Import(file); err != nil {
			return
		}
		want := through(t, file)
		n, s := offloaded(t, file)
		if diff := cmp.Diff(string(want), written(t, n, s)); diff != "" {
			t.Fatalf("(-in the log +outside):\n%s", diff)
		}
	})
}
