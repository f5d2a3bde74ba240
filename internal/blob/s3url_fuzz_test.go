package blob_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/blob"
)

// FuzzPlaces checks that a text is either a valid place or refused with a reason, and that String
// can be parsed again.
func FuzzPlaces(f *testing.F) {
	for _, seed := range []string{
		"s3://books/a/b?endpoint=http://[::1]:9000/&region=x", "s3://books", "s3:///a", "s3://me:secret@books", "s3://books?endpoint=store:9000", "s3://b//a//", "s3://b/%2e%2e/a%2fb",
		"s3://b?endpoint=https://u@x", "s3://b?endpoint=x%00", "S3://b", "s3://b?region=a&region=b", "s3://b:80/c", "books", "s3://b?endpoint=http%3A%2F%2Fx%3Fa",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := blob.ParsePlace(text)
		if err != nil {
			if !strings.Contains(err.Error(), "want ") {
				t.Fatalf("%q: got %v, want what a place is", text, err)
			}
			return
		}
		if p.Bucket == "" || p.Host == "" || strings.HasPrefix(p.Prefix, "/") || p.Prefix != "" && !strings.HasSuffix(p.Prefix, "/") {
			t.Fatalf("%q: got %+v", text, p)
		}
		if u, err := url.Parse("https://" + p.Host + "/"); err != nil || u.Host != p.Host || u.User != nil {
			t.Fatalf("%q: got the host %q, which is none", text, p.Host)
		}
	})
}
