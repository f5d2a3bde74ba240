package names

import (
	"reflect"
	"testing"
)

func TestAMagicOfALanguageIsCutAndItsLineStays(t *testing.T) {
	for source, want := range map[string]Magic{
		"%%ruby\nputs 1":              {Language: "ruby", Source: "\nputs 1"},
		"%%R  \r\nplot(x)\n":          {Language: "r", Source: "\nplot(x)\n"},
		"%%ts\nlet x = 1":             {Language: "typescript", Source: "\nlet x = 1"},
		"%%sql":                       {Language: "sql", Source: "%%sql"},
		"%%sql mine\nSELECT 1":        {Language: "sql", Source: "%%sql mine\nSELECT 1"},
		"%%sql ./a.db -i x -o y\nx":   {Language: "sql", Source: "%%sql ./a.db -i x -o y\nx", In: []string{"x"}, Out: []string{"y"}},
		"%%R -i x\nx":                 {Language: "r", Source: "\nx", In: []string{"x"}},
		"%%R -i x,y -o z -i u\nx":     {Language: "r", Source: "\nx", In: []string{"x", "y", "u"}, Out: []string{"z"}},
		"%%js -i x -o y\ny = x":       {Language: "javascript", Source: "\ny = x", In: []string{"x"}, Out: []string{"y"}},
		"%%R --input x --output y\nx": {Language: "r", Source: "\nx", In: []string{"x"}, Out: []string{"y"}},
	} {
		if got, ok := CutMagic(source); !reflect.DeepEqual(got, want) || !ok {
			t.Errorf("%q: got %+v, %v; want %+v", source, got, ok, want)
		}
	}
	for _, source := range []string{
		"%%sql mine SELECT 1", "%%sql postgresql://me@host/db\nSELECT 1", "%%sql result <<\nSELECT 1", "%%sql --alias x\nSELECT 1", "%%R -i\nx", "%%R -w 5\nx", "%%R -i x -w\nx", "%%bash\nls", "%%js\nalert(1)", "%%javascript \nalert(1)", "%%javascript x\nalert(1)", "%%bash -i x\nls", "%%python3 -o x\nx", "%%python3\nx", "%%time\nx",
		"%%\nx", " %%ruby\nputs 1", "x\n%%ruby", "", "\n", "%%cobol\nx",
	} {
		if got, ok := CutMagic(source); ok {
			t.Errorf("%q: got %+v, want no magic of a language", source, got)
		}
	}
}
