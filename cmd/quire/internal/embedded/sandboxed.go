package embedded

import (
	"context"
	"os"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/wasi"
)

// ServeSandboxed serves a language whose interpreter is installed in a store, as Serve does one of this binary.
func ServeSandboxed(ctx context.Context, language, pipes string, store wasi.Store, c wasi.Config) error {
	e, err := store.Engine(language)
	if err != nil {
		return err
	}
	p, err := engineproto.Standard(pipes)
	if err != nil {
		return err
	}
	c.Engine, c.Exit = e, os.Exit
	return engineproto.Serve(ctx, p, wasi.New(c))
}
