package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quirehq/quire/internal/file"
)

// maxTokenFile is how much of a file with a token is read.
const maxTokenFile = 4 << 10

// readToken takes the token of a file, which is stdin if it is "-", in place of the one that
// is set: all users of a machine can read a command line, and all programs of a user an
// environment.
func (a *app) readToken(name string) error {
	if name == "" {
		return nil
	}
	r := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("read token: %s: %w", name, file.Reason(name, err))
		}
		defer f.Close()
		r = f
	}
	line, err := bufio.NewReader(io.LimitReader(r, maxTokenFile)).ReadString('\n')
	if a.config.Token = strings.TrimSpace(line); a.config.Token == "" {
		if err == nil || err == io.EOF {
			return fmt.Errorf("read token: there is none in the first line of %s", name)
		}
		return fmt.Errorf("read token: %s: %w", name, file.Reason(name, err))
	}
	return nil
}
