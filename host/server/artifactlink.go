package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/quirehq/quire/core/replica"
)

// artifactsPath is where links to artifacts lead, and nothing else does.
const artifactsPath = "/artifacts/"

// NewArtifactLink asks for a link to an artifact.
type NewArtifactLink struct {
	Type string `json:"type,omitempty" jsonschema:"of the content, such as image/png, which is served as such if it is"`
	Name string `json:"name,omitempty" jsonschema:"of the file, if it is saved"`
}

// ArtifactLink is a link by which anybody can read an artifact for some time.
type ArtifactLink struct {
	URL     string    `json:"url" jsonschema:"a path on this server"`
	Expires time.Time `json:"expires"`
}

// linked is what a link says. It is signed, and so may be believed.
type linked struct {
	Notebook string `json:"n"`
	Hash     string `json:"h"`
	Type     string `json:"t,omitempty"`
	Name     string `json:"f,omitempty"`
	Expires  int64  `json:"e"` // seconds since 1970
}

// sign returns the last part of the link's path.
func (l linked) sign(secret []byte) (string, error) {
	data, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(macOfLink(secret, text)), nil
}

// readLink returns what a link says that we signed and that is still good.
func readLink(secret []byte, link string, now time.Time) (linked, error) {
	none := problem(replica.CodeForbidden, "the link is not valid; ask for a new one")
	text, signature, ok := strings.Cut(link, ".")
	if !ok {
		return linked{}, none
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(got, macOfLink(secret, text)) {
		return linked{}, none
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return linked{}, none
	}
	var l linked
	if err := json.Unmarshal(data, &l); err != nil {
		return linked{}, none
	}
	if now.Unix() >= l.Expires {
		return linked{}, problem(replica.CodeForbidden, "the link has expired; ask for a new one")
	}
	return l, nil
}

// macOfLink says what it is for, so that no token is a link, nor the other way round.
func macOfLink(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire artifact\x00" + text))
	return h.Sum(nil)
}
