package env_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/env/envtest"
)

// victim is what a program in a sandbox must not get at.
type victim struct {
	dir      string // with a secret, a socket and the workspace in it
	port     int    // where it listens on the loopback interface
	abstract string // and by a name of no file
}

const secret = "the secret of the test"

func newVictim(t *testing.T) victim {
	t.Helper()
	v := victim{dir: t.TempDir()}
	for _, dir := range []string{"mine", "other"} {
		if err := os.Mkdir(filepath.Join(v.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"secret", "other/notes", "mine/notes"} {
		if err := os.WriteFile(filepath.Join(v.dir, file), []byte(secret), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v.abstract = "quire-test-" + filepath.Base(filepath.Dir(v.dir))
	v.port = listen(t, "tcp", "127.0.0.1:0").Addr().(*net.TCPAddr).Port
	listen(t, "unix", filepath.Join(v.dir, "socket"))
	listen(t, "unix", "@"+v.abstract)
	return v
}

func listen(t *testing.T, network, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// python is what the tests of escapes are written in.
const python = "/usr/bin/python3"

// attempt is a program that prints what it got hold of, and nothing else.
type attempt struct{ name, source string }

// reading prints each of some files that can be read.
func reading(paths ...string) string {
	return fmt.Sprintf("for p in %s:\n  try: print(p, open(p, 'rb').read(99))\n  except OSError: pass", list(paths))
}

// writing prints each of some files that can be made or written.
func writing(paths ...string) string {
	return fmt.Sprintf("for p in %s:\n  try: os.close(os.open(p, os.O_WRONLY)); print(p)\n  except OSError: pass\n"+
		"  try: open(p + '/quire-test', 'w'); print(p)\n  except OSError: pass\n  try: open(p + '-quire-test', 'w'); print(p)\n  except OSError: pass", list(paths))
}

// connecting prints each of some addresses that can be connected to.
func connecting(addrs ...string) string {
	return "import socket\nfor a in [" + strings.Join(addrs, ",") + "]:\n  s = socket.socket(socket.AF_UNIX if isinstance(a, str) else socket.AF_INET)\n  s.settimeout(3)\n" +
		"  try: s.connect(a); print(a)\n  except OSError: pass"
}

func list(names []string) string { return "['" + strings.Join(names, "', '") + "']" }

// syscallSource prints the name of a system call that does not fail.
const syscallSource = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    if getattr(libc, name)(*args) == 0: print(name)
`

func attempts(v victim) []attempt {
	self := os.Getpid()
	in := func(name string) string { return filepath.Join(v.dir, name) }
	return []attempt{
		{"secrets of the system", reading("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private/ssl-cert-snakeoil.key", "/proc/kcore", "/proc/keys")},
		{"the home", "import glob\nhomes = ['/root', *glob.glob('/home/*')]\nprint(*[p for h in homes if os.path.isdir(h) for p in os.listdir(h)], sep='', end='')"},
		{"files beside the workspace", reading(in("secret"), in("other/notes"), "../secret", "../other/notes", "../mine/../secret")},
		{"by symbolic links", fmt.Sprintf("os.symlink('%s', 'l1'); os.symlink('../secret', 'l2'); os.symlink('/proc/1/root%s', 'l3')\n", in("secret"), in("secret")) + reading("l1", "l2", "l3")},
		{"by hard links", "import glob\nfor p in ['../secret', '/usr/bin/env', '/etc/passwd']:\n  try: os.link(p, 'h'); print(p)\n  except OSError: pass"},
		{"by other roots", reading("/proc/1/root"+in("secret"), "/proc/self/root"+in("secret"), fmt.Sprintf("/proc/%d/root%s", self, in("secret")), fmt.Sprintf("/proc/%d/environ", self), fmt.Sprintf("/proc/%d/mem", self))},
		{"environments", "import glob\nfor p in glob.glob('/proc/*/environ'):\n  try: print(*['x' for _ in [0] if b'QUIRE_TEST_SECRET' in open(p, 'rb').read()], end='')\n  except OSError: pass"},
		{"writing to the system", writing("/", "/usr", "/usr/bin/env", "/etc", "/etc/passwd", "/dev", "/run", "/lib", "/sys/devices/system/cpu", "/sys/devices/system/cpu/uevent", "/home")},
		{"settings of the kernel", writing("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/user/max_user_namespaces", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity")},
		{"processes outside", fmt.Sprintf("for n in range(1, 500): \n  try: comm = open(f'/proc/{n}/comm').read().strip()\n  except OSError: continue\n  if comm not in ('bwrap', 'python3'): print(comm)\ntry: os.kill(%d, 0); print('kill')\nexcept OSError: pass\n", self) +
			syscallSource + fmt.Sprintf("call('ptrace', 0x4206, %d, 0, 0)", self)},
		{"the loopback interface", connecting(fmt.Sprintf("('127.0.0.1', %d)", v.port), "'"+in("socket")+"'", `'\0`+v.abstract+"'")},
		{"the network", connecting("('192.0.2.1', 9)", "('10.0.0.1', 53)") + "\nprint(*[l for l in open('/proc/net/dev').read().split('\\n')[2:] if l and not l.strip().startswith('lo:')], end='')"},
		{"capabilities", "for l in open('/proc/self/status'):\n  k, _, v = l.partition(':')\n  if k.startswith('Cap') and int(v, 16) or k == 'NoNewPrivs' and v.strip() != '1': print(l)"},
		{"setuid programs", "import subprocess\nfor p in ['/usr/bin/su', '/usr/bin/sudo', '/usr/bin/mount']:\n  if os.path.exists(p) and subprocess.run([p, '-c', 'id'] if p.endswith('su') else [p, '-t', 'tmpfs', 'x', '/tmp'] if 'mount' in p else [p, 'id'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode == 0 and b'NoNewPrivs:\\t0' in open('/proc/self/status', 'rb').read(): print(p)"},
		{"mounting", syscallSource + "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)\ncall('umount2', b'/tmp', 2)\ncall('mount', b'/', b'/tmp', None, 4096, None)\ncall('chroot', b'/tmp')\ncall('sethostname', b'x', 1)"},
		{"more namespaces", syscallSource + "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x10000000 | 0x20000): call('unshare', flag)"},
		{"the terminal", "import fcntl\ntry: os.open('/dev/tty', os.O_RDWR); print('tty')\nexcept OSError: pass"},
		{"devices", "import glob\nfor p in ['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/fuse', '/dev/kvm', '/dev/net/tun']:\n  if os.path.exists(p): print(p)\n" + syscallSource + "call('mknod', b'node', 0o60666, 0xfe00)"},
	}
}

func TestEscapesFromASandboxAreRefused(t *testing.T) {
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	t.Setenv("QUIRE_TEST_SECRET", secret)
	v := newVictim(t)
	place := sandbox(t, env.SandboxConfig{Dir: filepath.Join(v.dir, "mine")})
	for _, a := range attempts(v) {
		t.Run(a.name, func(t *testing.T) {
			if got, errs := escape(t, place, a.source); got != "" || errs != "" {
				t.Errorf("got hold of %q\n%s", got, errs)
			}
		})
	}
	if got, errs := escape(t, place, reading("notes")); !strings.Contains(got, secret) || errs != "" {
		t.Errorf("its own file: got %q, %s", got, errs)
	}
	if _, err := os.Stat(filepath.Join(v.dir, "secret")); err != nil {
		t.Error(err)
	}
	end(t, place)
}

// The attempts would find something where nothing keeps them from it: else they would
// prove nothing.
func TestTheSameAttemptsSucceedWithoutASandbox(t *testing.T) {
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	t.Setenv("QUIRE_TEST_SECRET", secret)
	v := newVictim(t)
	place, err := env.NewLocal(env.LocalConfig{ID: "local", Dir: filepath.Join(v.dir, "mine")})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range attempts(v) {
		switch a.name {
		case "files beside the workspace", "by symbolic links", "by hard links", "environments", "processes outside", "the loopback interface":
			if got, errs := escape(t, place, a.source); got == "" {
				t.Errorf("%s: got hold of nothing\n%s", a.name, errs)
			}
		}
	}
	end(t, place)
}

// escape runs a program of Python and returns what it printed.
func escape(t *testing.T, place env.Primitive, source string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, _ = envtest.Run(t, place, "exec "+python+" -I -", "import os, sys\n"+source+"\n")
	return stdout, stderr
}

func end(t *testing.T, place env.Primitive) {
	t.Helper()
	if err := place.Terminate(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestASandboxHasAnEndToItsScratchSpace(t *testing.T) {
	t.Parallel()
	place := sandbox(t, env.SandboxConfig{Scratch: 1 << 20})
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		out, errs, exit := envtest.Run(t, place, "head -c 2m /dev/zero >"+dir+"/f; wc -c <"+dir+"/f", "")
		if out != "1048576\n" || !strings.Contains(errs, "No space left") {
			t.Errorf("%s: got %q, %q, %+v, want 1 MiB and no space left", dir, out, errs, exit)
		}
	}
	end(t, place)
}

func TestWhatLeavesItsSessionDoesNotOutliveASandbox(t *testing.T) {
	t.Parallel()
	place := sandbox(t, env.SandboxConfig{})
	mark := fmt.Sprintf("98765.%d", os.Getpid()) // of its command line
	out, _, _ := envtest.Run(t, place, "(setsid setsid nohup sleep "+mark+" &) >/dev/null 2>&1; until grep -q "+mark+" /proc/*/cmdline; do :; done; echo runs", "")
	if out != "runs\n" {
		t.Fatalf("got %q", out)
	}
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if data, _ := os.ReadFile(name); strings.HasPrefix(string(data), "sleep\x00"+mark) {
			t.Errorf("%s lives: %q", name, data)
		}
	}
	end(t, place)
}

func TestASandboxShowsWhatItIsToldToAndHidesTheRest(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	place := sandbox(t, env.SandboxConfig{
		Dir: filepath.Join(v.dir, "mine"), Read: []string{v.dir}, Hide: []string{filepath.Join(v.dir, "other")},
	})
	out, _, _ := envtest.Run(t, place, "cat ../secret ../other/notes; cd ..; echo x >f || echo; echo x >mine/g; cat mine/g", "")
	if want := secret + "\nx\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, place)
	place = sandbox(t, env.SandboxConfig{ // the workspace lies in what is hidden
		Dir: filepath.Join(v.dir, "mine"), Read: []string{filepath.Dir(v.dir)}, Hide: []string{v.dir},
	})
	out, _, _ = envtest.Run(t, place, "ls ..; cat ../secret; echo x >../f || echo refused; echo y >h; cat h", "")
	if want := "mine\nrefused\ny\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, place)
}

func TestASandboxSharesAFolderWithOneProgramOnly(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	shared := filepath.Join(v.dir, "other")
	place := sandbox(t, env.SandboxConfig{Dir: filepath.Join(v.dir, "mine")})
	command := env.Command{Argv: []string{"sh", "-c", "cd " + shared + " && echo x >f && cat ../secret"}}
	for _, c := range []struct {
		own   env.Grants
		there bool
	}{{env.Grants{}, false}, {env.Grants{Shared: []string{shared}}, true}} {
		child, err := place.Start(t.Context(), command, c.own)
		if err != nil {
			t.Fatal(err)
		}
		if exit := child.Wait(); exit.OK() {
			t.Error("it has read a file beside the folder")
		}
		if _, err := os.Stat(filepath.Join(shared, "f")); (err == nil) != c.there {
			t.Errorf("with %v: got %v for what it wrote, want it there: %t", c.own.Shared, err, c.there)
		}
	}
	end(t, place)
}

func TestASignalToAGroupReachesWhatAProgramHasStarted(t *testing.T) {
	t.Parallel()
	place := sandbox(t, env.SandboxConfig{})
	var out bytes.Buffer
	script := "trap : INT; sh -c 'trap \"echo told; exit\" INT; echo on; while :; do sleep 0.01; done'; exit 0"
	told := make(chan struct{})
	child, err := place.Start(t.Context(), env.Command{
		Argv: []string{"sh", "-c", script}, Stdout: &onFirst{to: &out, told: told},
	}, env.Grants{})
	if err != nil {
		t.Fatal(err)
	}
	<-told
	if err := child.SignalGroup(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if exit := child.Wait(); !exit.OK() || out.String() != "on\ntold\n" {
		t.Errorf("got %q and %+v, want that it was told", out.String(), exit)
	}
	if err := child.SignalGroup(syscall.SIGINT); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a signal after the end: got %v, want that it is done", err)
	}
	end(t, place)
}

// onFirst tells of the first that is written.
type onFirst struct {
	to   *bytes.Buffer
	told chan struct{}
	once sync.Once
}

func (o *onFirst) Write(data []byte) (int, error) {
	o.once.Do(func() { close(o.told) })
	return o.to.Write(data)
}

func TestASandboxWithTheNetworkReachesIt(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	v := newVictim(t)
	place := sandbox(t, env.SandboxConfig{Network: true})
	if got, errs := escape(t, place, connecting(fmt.Sprintf("('127.0.0.1', %d)", v.port))); !strings.Contains(got, "127.0.0.1") {
		t.Errorf("got %q, %s", got, errs)
	}
	end(t, place)
}

func TestAProgramHasTheEnvironmentThatItIsGiven(t *testing.T) {
	t.Setenv("QUIRE_TEST_SECRET", secret)
	place := sandbox(t, env.SandboxConfig{})
	out, _, _ := envtest.Run(t, place, "env | cut -d= -f1 | sort | tr '\\n' ' '", "")
	if want := "HOME LANG LOGNAME PATH PIP_RETRIES PWD TMPDIR USER "; strings.ReplaceAll(out, "_ ", "") != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, place)
}
