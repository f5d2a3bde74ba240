package proof_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"github.com/quirehq/quire/core/access/proof"
)

func TestAProofIsGoodForOneKeyNonceAndAddress(t *testing.T) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
	nonce := bytes.Repeat([]byte{3}, proof.NonceSize)
	signature := proof.Sign(key, nonce, "127.0.0.1:8642")
	public := func(k ed25519.PrivateKey) ed25519.PublicKey { return ed25519.PublicKey(k[ed25519.SeedSize:]) }
	for _, c := range []struct {
		name    string
		key     ed25519.PublicKey
		nonce   []byte
		address string
		want    bool
	}{
		{"the same", public(key), nonce, "127.0.0.1:8642", true},
		{"another key", public(other), nonce, "127.0.0.1:8642", false},
		{"no key", nil, nonce, "127.0.0.1:8642", false},
		{"another nonce", public(key), bytes.Repeat([]byte{4}, proof.NonceSize), "127.0.0.1:8642", false},
		{"a nonce that ends in the address", public(key), append(nonce[:len(nonce):len(nonce)], '1'), "27.0.0.1:8642", false},
		{"another address", public(key), nonce, "127.0.0.1:8643", false},
	} {
		if got := proof.Verify(c.key, c.nonce, c.address, signature); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
