// Package embedded has the interpreters in this binary, each of which a process serves by the engine protocol.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/confine"
	"github.com/quirehq/quire/internal/javascript"
	"github.com/quirehq/quire/internal/lua"
	scheme "github.com/quirehq/quire/internal/scheme/engine"
)

// Command is the hidden command of this binary that serves a language, and MemoryFlag its flag for the memory of programs.
const (
	Command    = "engine-process"
	MemoryFlag = "memory-bytes"
)

// interpreters has a constructor for each language. The limit is of the memory of a program in bytes, 0 for that of the
// interpreter.
func interpreters() map[string]func(memory int64) engineproto.Interpreter {
	return map[string]func(int64) engineproto.Interpreter{
		"javascript": func(memory int64) engineproto.Interpreter {
			return javascript.New(javascript.Config{Memory: memory})
		},
		"lua": func(memory int64) engineproto.Interpreter { return lua.New(lua.Config{Memory: memory}) },
		"scheme": func(memory int64) engineproto.Interpreter {
			return scheme.New(scheme.Config{Memory: memory})
		},
		"typescript": func(memory int64) engineproto.Interpreter {
			return javascript.New(javascript.Config{Memory: memory, TypeScript: true})
		},
	}
}

// Languages returns the languages that Serve has, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(interpreters())) }

// Check returns why there is no engine for a language, nil if there is one.
func Check(language string) error {
	if !slices.Contains(Languages(), language) {
		return fmt.Errorf("there is no engine for %q in this binary; it has %s", language, strings.Join(Languages(), ", "))
	}
	return nil
}

// Serve serves a language on the pipes of this process, which pipes names as engineproto.PipesVariable does. It confines
// the process first, where the system can: the interpreters let nothing out by themselves.
func Serve(ctx context.Context, language, pipes string, memory int64) error {
	if err := Check(language); err != nil {
		return err
	}
	p, err := engineproto.Standard(pipes)
	if err != nil {
		return err
	}
	_, _ = time.Now().Zone() // it is read from a file once
	if err := confine.Process(); err != nil && !errors.Is(err, confine.ErrUnsupported) {
		return err
	}
	return engineproto.Serve(ctx, p, interpreters()[language](memory))
}
