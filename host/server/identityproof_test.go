package server_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"testing"

	"github.com/quirehq/quire/core/access/proof"
	"github.com/quirehq/quire/host/server"
)

func TestAServerProvesItselfToThoseWhoKnowItsKeyHoweverOftenItIsAsked(t *testing.T) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	w := newWorld(t, func(c *server.Config) {
		c.Identity, c.Address = key, "127.0.0.1:7"
		c.Limits.Requests, c.Limits.Burst = 1e-9, 1 // others may ask as much as they like meanwhile
	})
	nonce := bytes.Repeat([]byte{0xfb}, proof.NonceSize)
	for range 3 {
		var answer server.Proof
		w.do(t, request{method: "GET", path: "/api/proof?nonce=" + base64.RawURLEncoding.EncodeToString(nonce)}).want(t, 200).into(t, &answer)
		signature, err := base64.RawURLEncoding.DecodeString(answer.Signature)
		if err != nil || !proof.Verify(ed25519.PublicKey(key[ed25519.SeedSize:]), nonce, "127.0.0.1:7", signature) {
			t.Fatalf("got %q, %v, want a proof", answer.Signature, err)
		}
	}
	for _, bad := range []string{"", "?nonce=AAAA", "?nonce=" + base64.RawURLEncoding.EncodeToString(append(nonce, 0)), "?nonce=%2B"} {
		w.do(t, request{method: "GET", path: "/api/proof" + bad}).want(t, 400).problem(t)
	}
}
