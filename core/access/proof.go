package access

import (
	"crypto/ed25519"
)

// NonceSize is how many bytes a program asks a server to sign.
const NonceSize = 32

// Prove returns the signature by which a server shows a program that it is the one whose
// key the program knows, before that sends a credential. The address is the host and
// port at which the server says that it is: an answer that another program passes on
// from there is none for its own address.
func Prove(key ed25519.PrivateKey, nonce []byte, address string) []byte {
	return ed25519.Sign(key, proofOf(nonce, address))
}

// Proven reports whether a signature is of the server with a key, for a nonce and an address.
func Proven(key ed25519.PublicKey, nonce []byte, address string, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && len(nonce) == NonceSize && ed25519.Verify(key, proofOf(nonce, address), signature)
}

func proofOf(nonce []byte, address string) []byte {
	return append(append([]byte("quire server\x00"), nonce...), address...)
}
