package datadir

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keptTokenFile is the name of the file with a token that stays the same.
const keptTokenFile = "owner-token"

// NewOwnerToken returns the token of the owner's programs: another one at each start, announced in
// server.json, so a program that has read it once does not have it for ever. Keep stores it in a
// file of its own, from which it stays the same.
func NewOwnerToken(dir string, keep bool) (string, error) {
	path := filepath.Join(dir, keptTokenFile)
	if !keep {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("forget the owner's token: %w", err)
		}
		return hex.EncodeToString(NewSecret()), nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		token := hex.EncodeToString(NewSecret())
		return token, Write(path, []byte(token+"\n"))
	}
	if err != nil {
		return "", fmt.Errorf("read the owner's token: %w", err)
	}
	token := string(trimLine(data))
	if _, err := hex.DecodeString(token); err != nil || len(token) != 2*SecretSize {
		return "", fmt.Errorf("%s is damaged: remove it to make a new one", path)
	}
	return token, nil
}
