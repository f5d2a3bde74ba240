//go:build unix

package launch

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"testing"

	environment "github.com/quirehq/quire/internal/env"
)

// place is an environment as a launcher sees it.
type place struct{ environment.Primitive }

// machine returns this machine, with the data directory as its workspace.
func machine(t testing.TB, dir string) place {
	t.Helper()
	local, err := environment.NewLocal(environment.LocalConfig{ID: "server", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return place{local}
}

// Detach implements [Programs].
func (p place) Detach(ctx context.Context, what Program) (string, error) {
	return p.Primitive.Detach(ctx, environment.Detached{Argv: what.Args, Env: what.Environ, Dir: what.Dir, Input: what.Input, Log: what.Log})
}

// List implements [Files].
func (p place) List(ctx context.Context, folder string) ([]Entry, error) {
	all, err := p.Primitive.List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []Entry
	for _, info := range all {
		if path.Dir(info.Name) == folder {
			entries = append(entries, Entry{Name: path.Base(info.Name), Changed: info.Changed})
		}
	}
	return entries, err
}
