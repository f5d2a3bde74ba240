package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	secretFile = "secret" // in the data directory
	secretSize = 32
)

// loadSecret returns the secret of a data directory, which is made once: the tokens
// that it signed stay good when the server starts anew.
func loadSecret(dir string) ([]byte, error) {
	path := filepath.Join(dir, secretFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret := make([]byte, secretSize)
		_, _ = rand.Read(secret) // it never fails
		return secret, writeFile(path, []byte(hex.EncodeToString(secret)+"\n"), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	secret := make([]byte, hex.DecodedLen(len(data)))
	n, err := hex.Decode(secret, trimLine(data))
	if err != nil || n != secretSize {
		return nil, fmt.Errorf("%s is damaged: remove it to make a new one, which ends all tokens", path)
	}
	return secret[:n], nil
}

func trimLine(data []byte) []byte {
	if n := len(data); n > 0 && data[n-1] == '\n' {
		return data[:n-1]
	}
	return data
}

// ownerToken returns what the owner's programs show. It follows from the secret, so
// that it too stays good.
func ownerToken(secret []byte) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire owner\x00"))
	return hex.EncodeToString(h.Sum(nil))
}
