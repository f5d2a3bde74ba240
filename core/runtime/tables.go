package runtime

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
)

// tables are those of Python's variables, for a run in another language.
type tables struct {
	rt  *Runtime
	set []string // by the run
}

// Table implements lang.Tabler. An engine that is not loaded has no variables, and is not loaded for it.
func (t *tables) Table(ctx context.Context, name string) (json.RawMessage, error) {
	engine, err := t.rt.cfg.Engines.Loaded(names.Python)
	if err != nil || engine == nil {
		return nil, lang.ErrNoVariable
	}
	tabler := engine.Abilities().Tabler
	if tabler == nil {
		return nil, lang.ErrNoVariable
	}
	return tabler.Table(ctx, name)
}

// SetTable implements lang.Tabler.
func (t *tables) SetTable(ctx context.Context, name string, table json.RawMessage) error {
	engine, err := t.rt.cfg.Engines.Get(ctx, names.Python, func(p lang.Progress) { t.rt.cfg.Progress(names.Python, p) })
	if err != nil {
		return err
	}
	tabler := engine.Abilities().Tabler
	if tabler == nil {
		return errors.New("its engine takes no tables")
	}
	if err := tabler.SetTable(ctx, name, table); err != nil {
		return err
	}
	t.set = append(t.set, name)
	return nil
}
