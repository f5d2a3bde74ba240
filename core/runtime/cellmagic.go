package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
)

// NotPassed is the name of the error of a run whose values could not be passed to or from another language.
const NotPassed = "NotPassed"

// magicOf returns the magic that a source of Python begins with, and whether it is that of a language that the runtime has.
func (rt *Runtime) magicOf(language, source string) (m names.Magic, ok bool) {
	if names.ID(language) != names.Python {
		return m, false
	}
	if m, ok = names.CutMagic(source); !ok || !slices.Contains(rt.cfg.Engines.Languages(), m.Language) || m.Language == names.SQL && rt.sqlOfIPython.Load() {
		return names.Magic{}, false
	}
	return m, true
}

// executePassing executes the run's source between the passing of the values that its magic names.
func (rt *Runtime) executePassing(ctx context.Context, engine lang.Engine, run *notebook.Run, m names.Magic, out *sink) (lang.Result, error) {
	if failed := rt.pass(ctx, m.In, names.Python, run.Language); failed != nil {
		return lang.Result{Err: failed}, nil
	}
	tables := rt.tablesFor(run.Language)
	result, err := rt.executeSource(ctx, engine, run, tables, out)
	if err == nil && result.Err == nil && result.Exit == lang.NoExit {
		missing := slices.DeleteFunc(slices.Clone(m.Out), func(name string) bool { return tables != nil && slices.Contains(tables.set, name) })
		result.Err = rt.pass(ctx, missing, run.Language, names.Python)
	}
	return result, err
}

// tablesFor returns the tables for a run in a language, nil where there are none.
func (rt *Runtime) tablesFor(language string) *tables {
	if names.ID(language) == names.Python || !slices.Contains(rt.cfg.Engines.Languages(), names.Python) {
		return nil
	}
	return &tables{rt: rt}
}

// pass sets variables of one language to the values that those of another have. It stops at the first error, which is for the
// user.
func (rt *Runtime) pass(ctx context.Context, variables []string, from, to string) *lang.Error {
	if len(variables) == 0 {
		return nil
	}
	source, err := rt.access(ctx, from)
	if err != nil {
		return &lang.Error{Name: NotPassed, Message: fmt.Sprintf("%s gives no values: %v", from, err), Line: 1}
	}
	target, err := rt.access(ctx, to)
	if err != nil {
		return &lang.Error{Name: NotPassed, Message: fmt.Sprintf("%s takes no values: %v", to, err), Line: 1}
	}
	for _, name := range variables {
		if err := passOne(ctx, name, source, target); err != nil {
			return &lang.Error{Name: NotPassed, Message: fmt.Sprintf("%s cannot be passed from %s to %s: %v", name, from, to, err), Line: 1}
		}
	}
	return nil
}

// passOne passes a variable as a table, where both languages have them and it is one, else as a value.
func passOne(ctx context.Context, name string, source, target lang.Abilities) error {
	if source.Tabler != nil && target.Tabler != nil {
		table, err := source.Tabler.Table(ctx, name)
		if err == nil {
			return target.Tabler.SetTable(ctx, name, table)
		}
		if !errors.Is(err, lang.ErrNoTable) && !errors.Is(err, lang.ErrNoVariable) {
			return err
		}
	}
	value, err := source.Accessor.Get(ctx, name)
	if err != nil {
		return err
	}
	return target.Accessor.Set(ctx, name, value)
}

// access returns the abilities of a language, whose engine it loads, with that to access variables.
func (rt *Runtime) access(ctx context.Context, language string) (lang.Abilities, error) {
	engine, err := rt.cfg.Engines.Get(ctx, language, func(p lang.Progress) { rt.cfg.Progress(language, p) })
	if err != nil {
		return lang.Abilities{}, err
	}
	abilities := engine.Abilities()
	if abilities.Accessor == nil {
		return lang.Abilities{}, errors.New("its engine has no access to variables")
	}
	return abilities, nil
}
