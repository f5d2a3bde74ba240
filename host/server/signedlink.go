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

// promise is the content of a link. Its signature makes it trustworthy.
type promise interface {
	until() int64 // the end, in seconds since 1970
}

// signLink returns the last part of a link's path. The purpose is signed too, so that a token is no
// link, and a link of one kind is no link of another.
func signLink(secret []byte, purpose string, p promise) (string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(macOfLink(secret, purpose, text)), nil
}

// readLink returns the content of a link that was signed for a purpose and is still good.
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
