package settings

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/host/server"
)

// maxComplaint bounds an error: a user has to read it.
const maxComplaint = 4 << 10

func FuzzConfigFile(f *testing.F) {
	for _, seed := range []string{
		`{"server": "http://127.0.0.1:8642", "memory": "2G", "maxRuntimes": 4, "sandbox": true, "hosts": ["a.example", "b.example"]}`,
		`{"sandboxRead": ["/data", 1]}`, `{"memory": true}`, `{"memory": 1e400}`, `{"idle": null}`, "{\n \"data\": x}", `[]`, `{"unknown": 1}`, ``, `{"files": 1e21}`,
	} {
		f.Add([]byte(seed))
	}
	variables := Variables()
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := parseFile(data)
		if err == nil {
			for variable, v := range set {
				if v.line < 1 || v.line > 1+bytes.Count(data, []byte{'\n'}) {
					t.Fatalf("%s is in line %d of %q", variable, v.line, data)
				}
				if !slices.Contains(variables, variable) {
					t.Fatalf("it sets %s, which is no setting", variable)
				}
			}
			return
		}
		said := err.Error()
		names := strings.Contains(said, "line ") || strings.Contains(said, "JSON object") || strings.Contains(said, `"`)
		if len(said) > maxComplaint || !utf8.ValidString(said) || !names {
			t.Fatalf("got %q, want what is wrong and where", said)
		}
	})
}

// FuzzLimits wants a text to be a limit or to be refused with its words, and no limit of a
// notebook to be above that of the server.
func FuzzLimits(f *testing.F) {
	for _, seed := range []string{"512M", "1.5GiB", "2g", "1e3K", "-1", "0x10", "NaN", "9223372036854775807", "8191P", "", " 1 M", "24h", "90s", "1h-1m", "1ns", "106752d", "20", "+8", "1_0"} {
		f.Add(seed, "64M", "1h", "100")
		f.Add("2G", seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, size, most, span, count string) {
		for _, text := range []string{size, most, span, count} {
			n, err := bytesize.Parse(text)
			checkLimit(t, text, float64(n), err)
			d, err := ParseDuration(text)
			checkLimit(t, text, float64(d), err)
			i, err := parseCount(text)
			checkLimit(t, text, float64(i), err)
		}
		servers := server.LimitValues{Memory: most, CPU: span, Files: count}
		if CheckWithin(servers, server.LimitValues{}) != nil {
			return
		}
		own := server.LimitValues{Memory: size, CPU: span, Files: size, Output: count}
		held := Within(own, servers)
		for _, l := range LimitsOf(held, servers) {
			_, err := Named(l.Name).number(l.Own)
			if Named(l.Name).exceeds(l.Own, l.Most) || l.Most != "" && (l.Own == "" || err != nil) {
				t.Fatalf("%s: got %q, and the server allows %q", l.Name, l.Own, l.Most)
			}
		}
	})
}

func checkLimit(t *testing.T, text string, n float64, err error) {
	t.Helper()
	switch {
	case err == nil && (n < 1 || n > math.MaxInt64):
		t.Fatalf("got %v of %q", n, text)
	case err != nil && (n != 0 || len(text) < maxComplaint/8 && len(err.Error()) > maxComplaint || err.Error()[0] != '"'):
		t.Fatalf("got %v and %q of %q", n, err, text)
	}
}
