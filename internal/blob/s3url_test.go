package blob_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/internal/blob"
)

func TestAPlaceIsReadAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]blob.Place{
		"s3://books":                            {Host: "s3.amazonaws.com", Bucket: "books"},
		"s3://books/":                           {Host: "s3.amazonaws.com", Bucket: "books"},
		"s3://books/a/b/?region=eu-west-1":      {Host: "s3.amazonaws.com", Bucket: "books", Prefix: "a/b/", Region: "eu-west-1"},
		"s3://books?endpoint=store:9000":        {Host: "store:9000", Bucket: "books"},
		"s3://books?endpoint=https://s.example": {Host: "s.example", Bucket: "books"},
		"s3://b/c?endpoint=http://[::1]:9000/":  {Host: "[::1]:9000", Plain: true, Bucket: "b", Prefix: "c/"},
	} {
		got, err := blob.ParsePlace(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestWhatIsNoPlaceIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "books", "s3://", "s3:///a", "http://books/a", "s3://me:secret@books", "s3://books#a", "s3://books?bucket=x", "s3://books?a=%zz",
		"s3://books?endpoint=ftp://x", "s3://books?endpoint=http://x/path", "s3://books?endpoint=http://", "s3://books?endpoint=http://u@x", "s3://\n",
	} {
		if p, err := blob.ParsePlace(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, p)
		}
	}
}
