package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// promise is what a link says. It is signed, and so may be believed.
type promise interface {
	until() int64 // seconds since 1970, at which it ends
}

// signLink returns the last part of a link's path. What the link is for is signed too: no
// token is a link, nor is a link of one kind one of another.
func signLink(secret []byte, purpose string, p promise) (string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(macOfLink(secret, purpose, text)), nil
}

// readLink returns what a link says that we signed for a purpose and that is still good.
func readLink[P promise](secret []byte, purpose, link string, now time.Time) (P, error) {
	var p, none P
	invalid := problem.New(protocol.CodeForbidden, "the link is not valid; ask for a new one")
	text, signature, ok := strings.Cut(link, ".")
	if !ok {
		return none, invalid
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(got, macOfLink(secret, purpose, text)) {
		return none, invalid
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return none, invalid
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return none, invalid
	}
	if now.Unix() >= p.until() {
		return none, problem.New(protocol.CodeForbidden, "the link has expired; ask for a new one")
	}
	return p, nil
}

func macOfLink(secret []byte, purpose, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire " + purpose + "\x00" + text))
	return h.Sum(nil)
}
