package notebook_test

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/notebook"
)

func TestNB22TheLanguageOfTheSourcesComesBeforeThatOfTheKernel(t *testing.T) {
	for _, c := range []struct{ metadata, want string }{
		{`{}`, "python"},
		{`{"language_info": {"name": "R"}}`, "r"},
		{`{"kernelspec": {"name": "ir", "language": "R"}}`, "r"},
		{`{"kernelspec": {"name": "sagemath", "language": "sage"}, "language_info": {"name": "python"}}`, "python"},
		{`{"kernelspec": {"name": "xcpp17", "language": "C++17"}, "language_info": {"name": "c++"}}`, "c++"},
		{`{"kernelspec": {"language": "R"}, "language_info": {"version": "4"}}`, "r"},
		{`{"kernelspec": {"language": "R"}, "language_info": "python"}`, "r"},
		{`{"kernelspec": {"language": "R"}, "language_info": {"name": 3}}`, "r"},
		{`{"kernelspec": {"name": "pysparkkernel", "language": "python"}, "language_info": {"name": "pyspark"}}`, "python"},
		{`{"language_info": {"name": "shell"}}`, "bash"},
		{`{"kernelspec": [], "language_info": null}`, "python"},
	} {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.metadata), &m); err != nil {
			t.Fatal(err)
		}
		if got := notebook.Language(m); got != c.want {
			t.Errorf("%s: got %q, want %q", c.metadata, got, c.want)
		}
	}
}
