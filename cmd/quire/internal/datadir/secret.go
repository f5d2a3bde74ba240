package datadir

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
	// SecretFile is the name of the file with the secret of a data directory.
	SecretFile = "secret"
	// SecretSize is the length of a secret in bytes.
	SecretSize = 32
)

// LoadSecret returns the secret of a data directory, which is made once. Stored sign-ins count
// with it, and it names the owner of artifacts; it signs nothing.
func LoadSecret(dir string) ([]byte, error) {
	path := filepath.Join(dir, SecretFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret := NewSecret()
		return secret, Write(path, []byte(hex.EncodeToString(secret)+"\n"))
	}
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	secret := make([]byte, hex.DecodedLen(len(data)))
	n, err := hex.Decode(secret, trimLine(data))
	if err != nil || n != SecretSize {
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

// NewSecret returns random bytes.
func NewSecret() []byte {
	secret := make([]byte, SecretSize)
	_, _ = rand.Read(secret) // it never fails
	return secret
}
