package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/embedded"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/internal/proc"
	"github.com/quirehq/quire/internal/script"
	"github.com/quirehq/quire/internal/wasi"
)

// sandboxedSuffix ends the names of sandboxed engines, which begin with the language.
const sandboxedSuffix = "-wasm"

// sandboxedGrace is the time that a sandboxed program gets to end when it is interrupted: one that waits needs less, and one that
// computes cannot end.
const sandboxedGrace = 50 * time.Millisecond

// Installed returns the sandboxed engines that a user has installed, and the folder for what is compiled of them. They are those of the
// user and not of a data directory: a runtime finds them by its environment alone.
func Installed(environ []string) (store wasi.Store, cache string) {
	return wasi.Store{Dir: userFolder(environ, "XDG_DATA_HOME", ".local/share")}, userFolder(environ, "XDG_CACHE_HOME", ".cache")
}

func userFolder(environ []string, variable, belowHome string) string {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
	}
	base := values[variable]
	if !filepath.IsAbs(base) {
		home := values["HOME"]
		if home == "" {
			home, _ = os.UserHomeDir() // where there is none, nothing is installed
		}
		base = filepath.Join(home, filepath.FromSlash(belowHome))
	}
	return filepath.Join(base, "quire", "engines")
}

func (f *Factory) sandboxedOffer(b wasi.Build) Offer {
	store, cache := Installed(f.Environ)
	offer := Offer{
		Name: b.Language + sandboxedSuffix, Language: b.Language, Display: b.Language + " " + b.Version, Source: Sandboxed, Interrupt: "message",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			config, err := f.sandboxedConfig(b, store, cache, dir, l)
			if err != nil {
				return nil, err
			}
			return script.New(config)
		},
	}
	if l, ok := names.Find(b.Language); ok {
		offer.Display = l.Title + " " + b.Version
	}
	e, err := store.Engine(b.Language)
	offer.Place, offer.Fault = e.Dir, err
	return offer
}

// sandboxedConfig returns the configuration of an engine in a process of this binary. It needs no other sandbox than its own: the process has the environment and
// the files of this one, and its program has none of them. Its memory is bounded by the module, and not by the process, which has more
// for what it compiles.
func (f *Factory) sandboxedConfig(b wasi.Build, store wasi.Store, cache, dir string, l limits) (script.Config, error) {
	program, err := os.Executable()
	if err != nil {
		return script.Config{}, fmt.Errorf("find this program: %w", err)
	}
	command := []string{program, embedded.Command, b.Language, "--engines", store.Dir, "--compiled", cache}
	if l.Memory > 0 {
		command = append(command, "--"+embedded.MemoryFlag, strconv.FormatInt(l.Memory, 10))
	}
	folder, err := f.grantedFolder(dir)
	if err != nil {
		return script.Config{}, err
	}
	if folder != "" {
		command = append(command, "--folder", folder)
	}
	if f.Config.EngineFolder == settings.FolderWrite {
		command = append(command, "--writable")
	}
	config := script.Config{
		Info:    lang.Info{Language: b.Language, Version: b.Version},
		Command: command, Pipes: script.Descriptors, Dir: dir, Env: []string{}, Grace: sandboxedGrace, Limits: proc.Limits{CPU: l.CPU}, Start: f.env.ownStarter(),
	}
	return config, nil
}

// grantedFolder returns the folder that sandboxed programs may use, empty for none.
func (f *Factory) grantedFolder(dir string) (string, error) {
	switch f.Config.EngineFolder {
	case "":
		return "", nil
	case settings.FolderRead, settings.FolderWrite:
	default:
		return "", fmt.Errorf("--engine-folder %q is neither %s nor %s", f.Config.EngineFolder, settings.FolderRead, settings.FolderWrite)
	}
	folder, err := filepath.Abs(dir)
	if err == nil && f.isPrivate(folder) {
		err = fmt.Errorf("--engine-folder would give %s to programs, with the home or the data directory in it: start in a folder of its own", folder)
	}
	return folder, err
}
