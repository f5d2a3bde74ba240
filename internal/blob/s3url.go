package blob

import (
	"fmt"
	"net/url"
	"strings"
)

// Place is the location of artifacts in an S3 store.
type Place struct {
	Host   string // of the store, with a port if need be
	Plain  bool   // without encryption
	Region string
	Bucket string
	Prefix string // of all names; empty, or with a slash at its end
}

// ParsePlace parses s3://bucket/prefix?endpoint=URL&region=NAME. Without an endpoint, which may be
// a host alone, the store is Amazon's.
func ParsePlace(text string) (Place, error) {
	const want = "want s3://BUCKET/PREFIX?endpoint=URL&region=NAME"
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return Place{}, fmt.Errorf("%q is no place in a store: %s", text, want)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Place{}, fmt.Errorf("%q is no place in a store: %s", text, want)
	}
	p := Place{Host: "s3.amazonaws.com", Bucket: u.Host, Region: q.Get("region")}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		p.Prefix = prefix + "/"
	}
	for key := range q {
		if key != "endpoint" && key != "region" {
			return Place{}, fmt.Errorf("%q has %q, which means nothing there: %s", text, key, want)
		}
	}
	if endpoint := q.Get("endpoint"); endpoint != "" {
		return p, p.setEndpoint(endpoint)
	}
	return p, nil
}

func (p *Place) setEndpoint(endpoint string) error {
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
		return fmt.Errorf("endpoint %q is not a host: want one, such as store.example.org:9000, or http:// before it for one without encryption", endpoint)
	}
	p.Host, p.Plain = u.Host, u.Scheme == "http"
	return nil
}

// String returns the place in the form for users.
func (p Place) String() string { return "s3://" + p.Bucket + "/" + p.Prefix }
