package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	secretFile    = "secret" // in the data directory
	keptTokenFile = "owner-token"
	secretSize    = 32
)

// loadSecret returns the secret of a data directory, which is made once. What is kept of
// sign-ins counts with it, and artifacts are known by it; it signs nothing.
func loadSecret(dir string) ([]byte, error) {
	path := filepath.Join(dir, secretFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret := newSecret()
		return secret, writeFile(path, []byte(hex.EncodeToString(secret)+"\n"), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	secret := make([]byte, hex.DecodedLen(len(data)))
	n, err := hex.Decode(secret, trimLine(data))
	if err != nil || n != secretSize {
		return nil, fmt.Errorf("%s is damaged: remove it to make a new one, which ends all sign-ins", path)
	}
	return secret[:n], nil
}

func trimLine(data []byte) []byte {
	if n := len(data); n > 0 && data[n-1] == '\n' {
		return data[:n-1]
	}
	return data
}

// newSecret returns random bytes.
func newSecret() []byte {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // it never fails
	return secret
}

// newOwnerToken returns what the owner's programs show: another one at each start, which
// server.json says, so that a program that has read it once does not have it for ever. Keep
// has it stay the same, in a file of its own.
func newOwnerToken(dir string, keep bool) (string, error) {
	path := filepath.Join(dir, keptTokenFile)
	if !keep {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("forget the owner's token: %w", err)
		}
		return hex.EncodeToString(newSecret()), nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		token := hex.EncodeToString(newSecret())
		return token, writeFile(path, []byte(token+"\n"), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("read the owner's token: %w", err)
	}
	token := string(trimLine(data))
	if _, err := hex.DecodeString(token); err != nil || len(token) != 2*secretSize {
		return "", fmt.Errorf("%s is damaged: remove it to make a new one", path)
	}
	return token, nil
}
