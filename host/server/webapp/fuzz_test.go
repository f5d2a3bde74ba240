package webapp

import (
	"strings"
	"testing"
)

// FuzzEncodings reads a header with a list of codings.
func FuzzEncodings(f *testing.F) {
	f.Add("gzip, br;q=0.5")
	f.Add("br;q=0, *")
	f.Add("gzip; q = 1e-400")
	f.Add("GZIP;q=nan")
	f.Fuzz(func(t *testing.T, encodings string) {
		for _, k := range codings() {
			if accepts(encodings, k.name) && !strings.Contains(strings.ToLower(encodings), k.name) {
				t.Fatalf("%q is taken to accept %s", encodings, k.name)
			}
			if accepts(k.name+";q=0,"+encodings, k.name) && !accepts(encodings, k.name) {
				t.Fatalf("%q beside a refusal of %s is taken to accept it", encodings, k.name)
			}
		}
	})
}
