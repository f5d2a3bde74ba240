package env

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
)

// shapes are programs of Python with the memory that they use together: between least and most, in
// MiB, once each of their processes has reported.
var shapes = map[string]struct {
	source      string
	processes   int
	least, most int64
	sandbox     bool // only in a sandbox
	rollup      bool // the system must report shared memory
}{
	"nothing":               {source: "", processes: 1, least: 1, most: 40},
	"one":                   {source: "x = bytearray(48 << 20)", processes: 1, least: 48, most: 90},
	"children":              {source: "for _ in range(3):\n  if os.fork() == 0: x = bytearray(24 << 20); break", processes: 4, least: 72, most: 150},
	"children's children":   {source: "if os.fork() == 0:\n  os.fork()\n  x = bytearray(32 << 20)", processes: 3, least: 64, most: 130},
	"shared anonymous":      {source: "m = mmap.mmap(-1, 48 << 20)\nfor i in range(0, 48 << 20, 4096): m[i] = 1", processes: 1, least: 48, most: 90},
	"what forks share":      {source: "x = b'x' * (48 << 20)\nfor _ in range(3):\n  if os.fork() == 0: break", processes: 4, least: 48, most: 120, rollup: true},
	"shared with forks":     {source: "m = mmap.mmap(-1, 48 << 20)\nfor i in range(0, 48 << 20, 4096): m[i] = 1\nfor _ in range(3):\n  if os.fork() == 0:\n    for i in range(0, 48 << 20, 4096): m[i] = 2\n    break", processes: 4, least: 48, most: 120, rollup: true},
	"files of the memory":   {source: "for f in ('/tmp/f', '/dev/shm/f'): open(f, 'wb').write(bytes(24 << 20))", processes: 1, least: 48, most: 90, sandbox: true},
	"a mapped file of it":   {source: "f = open('/dev/shm/f', 'w+b'); f.truncate(48 << 20); m = mmap.mmap(f.fileno(), 0)\nfor i in range(0, 48 << 20, 4096): m[i] = 1", processes: 1, least: 48, most: 90, sandbox: true},
	"an orphan, in a group": {source: "if os.fork() == 0:\n  os.setpgid(0, 0)\n  if os.fork() > 0: os._exit(0)\n  x = bytearray(48 << 20)", processes: 2, least: 48, most: 120},
	"what left its session": {source: "if os.fork() == 0:\n  os.setsid()\n  if os.fork() > 0: os._exit(0)\n  x = bytearray(48 << 20)", processes: 2, least: 48, most: 120, sandbox: true},
}

func TestAPlaceKnowsWhatItsProgramsHave(t *testing.T) {
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	inEnvironments(t, nil, func(t *testing.T, environment Primitive, _ int) {
		m, _ := environment.(interface {
			Exceeds(limit int64) bool
			KillAll(ctx context.Context) error
		})
		for name, c := range shapes {
			t.Run(name, func(t *testing.T) {
				if _, is := environment.(*Sandbox); c.sandbox && !is {
					t.Skip("it is of sandboxes")
				}
				if c.rollup && !hasRollup(t) {
					t.Skip("the system does not tell what is shared")
				}
				var out dots
				source := "import mmap, os, time\n" + c.source + "\nos.write(1, b'.')\ntime.sleep(1000)"
				process, err := environment.Exec(t.Context(), Command{Argv: []string{python, "-I", "-c", source}, Stdout: &out})
				if err != nil {
					t.Fatal(err)
				}
				await(t, "all processes are there", func() bool { return out.count() == c.processes })
				if !m.Exceeds(c.least<<20) || m.Exceeds(c.most<<20) {
					t.Errorf("got more than %d MiB: %t, more than %d MiB: %t, want the first only", c.least, m.Exceeds(c.least<<20), c.most, m.Exceeds(c.most<<20))
				}
				if err := m.KillAll(t.Context()); err != nil {
					t.Error(err)
				}
				if m.Exceeds(0) {
					t.Error("got more than nothing of programs that were killed")
				}
				if exit := process.Wait(); exit.OK() {
					t.Error("the program was not killed")
				}
			})
		}
		if err := environment.Terminate(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// dots counts the processes that have reported.
type dots struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (d *dots) Write(data []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Write(data)
}

func (d *dots) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Count(d.out.String(), ".")
}

// hasRollup reports whether the system counts shared pages.
func hasRollup(t *testing.T) bool {
	t.Helper()
	data, err := os.ReadFile("/proc/self/smaps_rollup")
	return err == nil && strings.Contains(string(data), "Pss_Anon:")
}
