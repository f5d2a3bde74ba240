// Package proof proves a server to a program before the program sends it a credential: the server signs a nonce and its address
// with a key that the program knows. It is apart from package access for the size of the page's core, which needs no signatures.
package proof

import (
	"crypto/ed25519"
)

// NonceSize is the length in bytes of the nonce that a program asks a server to sign.
const NonceSize = 32

// Sign returns the signature by which a server proves to a program that it holds the key the program knows, before the
// program sends a credential. The address is the host and port of the server: an answer that another program relays
// from there does not hold for that program's address.
func Sign(key ed25519.PrivateKey, nonce []byte, address string) []byte {
	return ed25519.Sign(key, signed(nonce, address))
}

// Verify reports whether a signature was made with a server's key, for a nonce and an address.
func Verify(key ed25519.PublicKey, nonce []byte, address string, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && len(nonce) == NonceSize && ed25519.Verify(key, signed(nonce, address), signature)
}

func signed(nonce []byte, address string) []byte {
	return append(append([]byte("quire server\x00"), nonce...), address...)
}
