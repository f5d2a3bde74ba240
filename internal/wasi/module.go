package wasi

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Where programs find their files.
const (
	hostFolder  = "/quire"
	driverPath  = hostFolder + "/driver"
	grantFolder = "/notebook"
)

// pageSize is the size of a page of WebAssembly's memory, and maxPages how many it can have.
const (
	pageSize = 64 << 10
	maxPages = 1 << 16
)

// module is a compiled interpreter, ready to begin.
type module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	config  wazero.ModuleConfig
	driver  string
	memory  int64
	close   []io.Closer
}

// openModule compiles the interpreter of a configuration, or loads what was compiled before.
func openModule(ctx context.Context, c *Config, host *devices, stdout, stderr io.Writer) (_ *module, err error) {
	m := &module{driver: languageOf(c.Engine.Language).driver, memory: c.Memory}
	defer func() {
		if err != nil {
			m.Close(ctx)
		}
	}()
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfig().WithDebugInfoEnabled(false).WithMemoryLimitPages(pages(c.Memory)).
		WithMemoryCapacityFromMax(true) // a memory that grows is copied
	if c.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(c.Cache)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled engines: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(c.Engine.path(c.Engine.Module))
	if err != nil {
		return nil, err
	}
	if m.code, err = m.runtime.CompileModule(ctx, binary); err != nil {
		return nil, fmt.Errorf("compile %s: %w", c.Engine.Module, err)
	}
	if err := m.withoutImports(ctx); err != nil {
		return nil, err
	}
	files, err := m.files(c, host)
	if err != nil {
		return nil, err
	}
	m.config = wazero.NewModuleConfig().WithName("").WithFSConfig(files).WithStdin(nothing{}).WithStdout(stdout).WithStderr(stderr).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)
	return m, nil
}

func pages(bytes int64) uint32 {
	return uint32(min(max(bytes/pageSize, 1), maxPages))
}

// files returns the files that a program has.
func (m *module) files(c *Config, host *devices) (wazero.FSConfig, error) {
	host.files["driver"] = device{content: []byte(m.driver)}
	null := device{read: nothing{}.Read, write: io.Discard.Write}
	files := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(host, hostFolder).(sysfs.FSConfig).
		WithSysFSMount(&devices{files: map[string]device{"null": null}}, "/dev")
	if c.Engine.Library != "" {
		root, err := os.OpenRoot(c.Engine.path(c.Engine.Library))
		if err != nil {
			return nil, fmt.Errorf("open the library of %s: %w", c.Engine.Language, err)
		}
		m.close = append(m.close, root)
		files = files.WithFSMount(root.FS(), "/"+filepath.ToSlash(c.Engine.Library))
	}
	if c.Folder != "" {
		root, err := os.OpenRoot(c.Folder)
		if err != nil {
			return nil, fmt.Errorf("open the folder of the notebook: %w", err)
		}
		m.close = append(m.close, root)
		files = files.(sysfs.FSConfig).WithSysFSMount(&folder{root: root, writable: c.Writable}, grantFolder)
	}
	return files, nil
}

// withoutImports gives an interpreter functions in place of those of another host, such as JavaScript's, that it asks for beside
// WASI. They do nothing: nothing that a program calls through them reaches this host.
func (m *module) withoutImports(ctx context.Context) error {
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, function := range m.code.ImportedFunctions() {
		name, export, _ := function.Import()
		if name == wasi_snapshot_preview1.ModuleName {
			continue
		}
		if hosts[name] == nil {
			hosts[name] = m.runtime.NewHostModuleBuilder(name)
		}
		zero := api.GoFunc(func(_ context.Context, stack []uint64) { clear(stack) })
		hosts[name].NewFunctionBuilder().WithGoFunction(zero, function.ParamTypes(), function.ResultTypes()).Export(export)
	}
	for name, host := range hosts {
		if _, err := host.Instantiate(ctx); err != nil {
			return fmt.Errorf("stand in for the functions of %s: %w", name, err)
		}
	}
	return nil
}

// Close releases the module.
func (m *module) Close(ctx context.Context) {
	if m.runtime != nil {
		_ = m.runtime.Close(ctx)
	}
	for _, c := range m.close {
		_ = c.Close()
	}
}

// nothing is a stream without bytes.
type nothing struct{}

// Read ends.
func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
