package names

import "testing"

func TestAMagicOfALanguageIsCutAndItsLineStays(t *testing.T) {
	for source, want := range map[string]struct {
		language, rest string
	}{
		"%%ruby\nputs 1":       {"ruby", "\nputs 1"},
		"%%R  \r\nplot(x)\n":   {"r", "\nplot(x)\n"},
		"%%ts\nlet x = 1":      {"typescript", "\nlet x = 1"},
		"%%sql":                {"sql", ""},
		"%%sql mine\nSELECT 1": {"", "%%sql mine\nSELECT 1"},
		"%%R -i x\nx":          {"", "%%R -i x\nx"},
		"%%bash\nls":           {"", "%%bash\nls"},
		"%%js\nalert(1)":       {"", "%%js\nalert(1)"},
		"%%python3\nx":         {"", "%%python3\nx"},
		"%%time\nx":            {"", "%%time\nx"},
		"%%\nx":                {"", "%%\nx"},
		" %%ruby\nputs 1":      {"", " %%ruby\nputs 1"},
		"x\n%%ruby":            {"", "x\n%%ruby"},
		"":                     {"", ""},
	} {
		language, rest, ok := CutMagic(source)
		if language != want.language || rest != want.rest || ok != (want.language != "") {
			t.Errorf("%q: got %q, %q, %v; want %q, %q", source, language, rest, ok, want.language, want.rest)
		}
	}
}
