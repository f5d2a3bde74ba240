package access

import (
	"crypto/ed25519"
)

// NonceSize is the length in bytes of the nonce that a program asks a server to sign.
const NonceSize = 32

// Prove returns the signature by which a server proves to a program that it holds the key the program knows, before the
// program sends a credential. The address is the host and port of the server: an answer that another program relays
// from there does not hold for that program's address.
func Prove(key ed25519.PrivateKey, nonce []byte, address string) []byte {
	return ed25519.Sign(key, proofOf(nonce, address))
}

// Proven reports whether a signature was made with a server's key, for a nonce and an address.
func Proven(key ed25519.PublicKey, nonce []byte, address string, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && len(nonce) == NonceSize && ed25519.Verify(key, proofOf(nonce, address), signature)
}

func proofOf(nonce []byte, address string) []byte {
	return append(append([]byte("quire server\x00"), nonce...), address...)
}
