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

// victim is the target that a sandboxed program must not reach.
type victim struct {
	dir      string // with a secret, a socket and the workspace in it
	port     int    // where it listens on the loopback interface
	abstract string // name of an abstract Unix socket
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

// python runs the attempts to escape.
const python = "/usr/bin/python3"

// attempt is a program that prints only what it got hold of.
type attempt struct {
	name, source string
	without      without
}

// without is the expected result of an attempt without a sandbox.
type without int

const (
	succeeds without = iota // for every user
	depends                 // on the user, the kernel and its settings
	harms                   // as root it would change the machine
	reaches                 // it would reach another machine, or stop a foreign process
)

// reading prints the files that can be read.
func reading(paths ...string) string {
	return fmt.Sprintf("for p in %s:\n  try: print(p, open(p, 'rb').read(99))\n  except OSError: pass", list(paths))
}

// writing prints the files that can be created or written.
func writing(paths ...string) string {
	return fmt.Sprintf("for p in %s:\n  try: os.close(os.open(p, os.O_WRONLY)); print(p)\n  except OSError: pass\n"+
		"  try: open(p + '/quire-test', 'w'); print(p)\n  except OSError: pass\n  try: open(p + '-quire-test', 'w'); print(p)\n  except OSError: pass", list(paths))
}

// connecting prints the addresses that accept a connection.
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

// numbersSource has the system calls of both architectures by name, for libc.syscall. Attempts
// print their name unless the call is refused as such: with an invalid argument, another error
// shows that the call itself is allowed.
const numbersSource = syscallSource + `import errno, platform
names = "add_key request_key keyctl ptrace process_vm_readv process_vm_writev kcmp unshare setns mount umount2 pivot_root chroot open_by_handle_at name_to_handle_at " \
    "bpf perf_event_open userfaultfd fanotify_init lookup_dcookie quotactl kexec_load reboot init_module finit_module delete_module swapon swapoff acct syslog settimeofday " \
    "clock_settime clock_adjtime adjtimex sethostname setdomainname vhangup migrate_pages move_pages personality clone".split()
x86 = [248, 249, 250, 101, 310, 311, 312, 272, 308, 165, 166, 155, 161, 304, 303, 321, 298, 323, 300, 212, 179, 246, 169, 175, 313, 176, 167, 168, 163, 103, 164, 227, 305, 159, 170, 171, 153, 256, 279, 135, 56]
arm = [217, 218, 219, 117, 270, 271, 272, 97, 268, 40, 39, 41, 51, 265, 264, 280, 241, 282, 262, 18, 60, 104, 142, 105, 273, 106, 224, 225, 89, 116, 170, 112, 266, 171, 161, 162, 58, 238, 239, 92, 220]
number = dict(zip(names, x86 if platform.machine() == "x86_64" else arm))
number.update(pidfd_getfd=438, io_uring_setup=425, io_uring_enter=426, io_uring_register=427, clone3=435, fsopen=430, fsconfig=431, fsmount=432, fspick=433, move_mount=429, open_tree=428, mount_setattr=442, quotactl_fd=443)
libc.syscall.restype = ctypes.c_long
def raw(name, *args, refused=(errno.EPERM, errno.ENOSYS)):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number.get(name, name)), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if name == "clone" and got == 0: os._exit(0)
    if got >= 0 or ctypes.get_errno() not in refused:
        print(name, ctypes.get_errno())
`

func attempts(v victim) []attempt {
	self := os.Getpid()
	in := func(name string) string { return filepath.Join(v.dir, name) }
	return []attempt{
		{"secrets of the system", reading("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private/ssl-cert-snakeoil.key", "/proc/kcore", "/proc/keys"), depends},
		{"the home", "import glob\nhomes = ['/root', *glob.glob('/home/*')]\nprint(*[p for h in homes if os.path.isdir(h) for p in os.listdir(h)], sep='', end='')", depends},
		{"files beside the workspace", reading(in("secret"), in("other/notes"), "../secret", "../other/notes", "../mine/../secret"), succeeds},
		{"by symbolic links", fmt.Sprintf("os.symlink('%s', 'l1'); os.symlink('../secret', 'l2'); os.symlink('/proc/1/root%s', 'l3')\n", in("secret"), in("secret")) + reading("l1", "l2", "l3"), succeeds},
		{"by hard links", "import glob\nfor p in ['../secret', '/usr/bin/env', '/etc/passwd']:\n  try: os.link(p, 'h'); print(p)\n  except OSError: pass", succeeds},
		{"by other roots", reading("/proc/1/root"+in("secret"), "/proc/self/root"+in("secret"), fmt.Sprintf("/proc/%d/root%s", self, in("secret")), fmt.Sprintf("/proc/%d/environ", self), fmt.Sprintf("/proc/%d/mem", self)), succeeds},
		{"environments", "import glob\nfor p in glob.glob('/proc/*/environ'):\n  try: print(*['x' for _ in [0] if b'QUIRE_TEST_SECRET' in open(p, 'rb').read()], end='')\n  except OSError: pass", succeeds},
		{"writing to the system", writing("/", "/usr", "/usr/bin/env", "/etc", "/etc/passwd", "/dev", "/run", "/lib", "/sys/devices/system/cpu", "/sys/devices/system/cpu/uevent", "/home"), harms},
		{"settings of the kernel", writing("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/user/max_user_namespaces", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"), depends},
		{"processes outside", fmt.Sprintf("for n in range(1, 500): \n  try: comm = open(f'/proc/{n}/comm').read().strip()\n  except OSError: continue\n  if comm not in ('bwrap', 'python3'): print(comm)\ntry: os.kill(%d, 0); print('kill')\nexcept OSError: pass\n", self) +
			syscallSource + fmt.Sprintf("call('ptrace', 0x4206, %d, 0, 0)", self), succeeds},
		{"the loopback interface", connecting(fmt.Sprintf("('127.0.0.1', %d)", v.port), "'"+in("socket")+"'", `'\0`+v.abstract+"'"), succeeds},
		{"the network", connecting("('192.0.2.1', 9)", "('10.0.0.1', 53)") + "\nprint(*[l for l in open('/proc/net/dev').read().split('\\n')[2:] if l and not l.strip().startswith('lo:')], end='')", reaches},
		{"capabilities", "for l in open('/proc/self/status'):\n  k, _, v = l.partition(':')\n  if k.startswith('Cap') and int(v, 16) or k == 'NoNewPrivs' and v.strip() != '1': print(l)", depends},
		{"setuid programs", "import subprocess\nfor p in ['/usr/bin/su', '/usr/bin/sudo', '/usr/bin/mount']:\n  if os.path.exists(p) and subprocess.run([p, '-c', 'id'] if p.endswith('su') else [p, '-t', 'tmpfs', 'x', '/tmp'] if 'mount' in p else [p, 'id'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode == 0 and b'NoNewPrivs:\\t0' in open('/proc/self/status', 'rb').read(): print(p)", harms},
		{"mounting", syscallSource + "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)\ncall('umount2', b'/tmp', 2)\ncall('mount', b'/', b'/tmp', None, 4096, None)\ncall('chroot', b'/tmp')\ncall('sethostname', b'x', 1)", harms},
		{"more namespaces", syscallSource + "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x10000000 | 0x20000): call('unshare', flag)", depends},
		{"keys of the session", numbersSource + "raw('keyctl', 0, -3, 0)\nraw('keyctl', 11, -3, ctypes.create_string_buffer(99), 99)\nraw('add_key', b'user', b'quire-test', b'x', 1, -3)\nraw('request_key', b'user', b'quire-test', None, -3)", depends},
		{"families of sockets", "import socket\nfor f in [*range(3, 10), *range(11, 16), *range(17, 64)]:\n  for k in (1, 2, 3, 5):\n    try: print(f, k, socket.socket(f, k).fileno())\n    except OSError as e:\n      if e.errno != 97: print(f, k, e)", succeeds},
		{"netlink", "import socket\nfor p in range(1, 32):\n  try: print(p, socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, p).fileno())\n  except OSError as e:\n    if e.errno != 93: print(p, e)", succeeds},
		{"the machine's own sockets", "import socket\ntry: s = socket.socket(40, 1); s.settimeout(1); print(s.connect_ex((2, 1)))\nexcept OSError: pass", reaches},
		{"calls of the system", numbersSource + "for name in number:\n  if name not in ('personality', 'clone'): raw(name, -1, -1, -1, -1, -1, -1)\nfor kind in (0x0040000, 8, 0x400000): raw('personality', kind)\nfor flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000): raw('clone', flag | 17, 0, 0, 0, 0)", succeeds},
		{"the first process", numbersSource + "for p in ('/proc/1/mem', '/proc/1/task/1/mem'):\n  try: open(p, 'r+b'); print(p)\n  except OSError: pass\nraw('ptrace', 16, 1, 0, 0)\nraw('ptrace', 0, 0, 0, 0)\nlocal, remote = (ctypes.c_char * 8)(), 0x1000\nraw('process_vm_readv', 1, local, 0, local, 0, 0)", reaches},
		{"other numbers of calls", numbersSource + `import mmap
if platform.machine() == "x86_64":
    for n in (39, 41, 101, 250): raw(0x40000000 | n, 0, 0, 0)
    code = mmap.mmap(-1, 4096, prot=7)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3") # getpid of i386
    got = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    if got != -errno.ENOSYS: print("i386", got)
`, depends},
		{"what others type", "import fcntl, pty, termios\nmine, other = pty.openpty()\nfor what in (termios.TIOCSTI, 0x541c):\n  try: fcntl.ioctl(other, what, b'x'); print(what)\n  except OSError as e:\n    if e.errno != 1: print(what, e)", depends},
		{"the terminal", "import fcntl\ntry: os.open('/dev/tty', os.O_RDWR); print('tty')\nexcept OSError: pass", depends},
		{"devices", "import glob\nfor p in ['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/fuse', '/dev/kvm', '/dev/net/tun']:\n  if os.path.exists(p): print(p)\n" + syscallSource + "call('mknod', b'node', 0o60666, 0xfe00)", harms},
	}
}

func TestEscapesFromASandboxAreRefused(t *testing.T) {
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	t.Setenv("QUIRE_TEST_SECRET", secret)
	v := newVictim(t)
	environment := sandbox(t, env.SandboxConfig{Dir: filepath.Join(v.dir, "mine")})
	for _, a := range attempts(v) {
		t.Run(a.name, func(t *testing.T) {
			if got, errs := escape(t, environment, a.source); got != "" || errs != "" {
				t.Errorf("got hold of %q\n%s", got, errs)
			}
		})
	}
	if got, errs := escape(t, environment, reading("notes")); !strings.Contains(got, secret) || errs != "" {
		t.Errorf("its own file: got %q, %s", got, errs)
	}
	if _, err := os.Stat(filepath.Join(v.dir, "secret")); err != nil {
		t.Error(err)
	}
	end(t, environment)
}

// The attempts must succeed without a sandbox, or else they prove nothing. The ones that do are
// logged, since some depend on the machine.
func TestTheSameAttemptsSucceedWithoutASandbox(t *testing.T) {
	if _, err := os.Stat(python); err != nil {
		t.Skipf("this test needs Python (Debian has it as python3): %v", err)
	}
	t.Setenv("QUIRE_TEST_SECRET", secret)
	v := newVictim(t)
	environment, err := env.NewLocal(env.LocalConfig{ID: "local", Dir: filepath.Join(v.dir, "mine")})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range attempts(v) {
		if a.without == reaches || a.without == harms && os.Geteuid() == 0 {
			t.Logf("%-30s not tried", a.name)
			continue
		}
		got, errs := escape(t, environment, a.source)
		switch {
		case got != "":
			t.Logf("%-30s succeeds", a.name)
		case a.without == succeeds:
			t.Errorf("%s: got hold of nothing\n%s", a.name, errs)
		default:
			t.Logf("%-30s is refused", a.name)
		}
	}
	end(t, environment)
}

// escape runs a program of Python and returns its output.
func escape(t *testing.T, environment env.Primitive, source string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, _ = envtest.Run(t, environment, "exec "+python+" -I -", "import os, sys\n"+source+"\n")
	return stdout, stderr
}

func end(t *testing.T, environment env.Primitive) {
	t.Helper()
	if err := environment.Terminate(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestASandboxHasAnEndToItsScratchSpace(t *testing.T) {
	t.Parallel()
	environment := sandbox(t, env.SandboxConfig{Scratch: 1 << 20})
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		out, errs, exit := envtest.Run(t, environment, "head -c 2m /dev/zero >"+dir+"/f; wc -c <"+dir+"/f", "")
		if out != "1048576\n" || !strings.Contains(errs, "No space left") {
			t.Errorf("%s: got %q, %q, %+v, want 1 MiB and no space left", dir, out, errs, exit)
		}
	}
	end(t, environment)
}

func TestWhatLeavesItsSessionDoesNotOutliveASandbox(t *testing.T) {
	t.Parallel()
	environment := sandbox(t, env.SandboxConfig{})
	mark := fmt.Sprintf("98765.%d", os.Getpid()) // in its command line
	out, _, _ := envtest.Run(t, environment, "(setsid setsid nohup sleep "+mark+" &) >/dev/null 2>&1; until grep -q "+mark+" /proc/*/cmdline; do :; done; echo runs", "")
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
	end(t, environment)
}

func TestASandboxShowsWhatItIsToldToAndHidesTheRest(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	environment := sandbox(t, env.SandboxConfig{
		Dir: filepath.Join(v.dir, "mine"), Read: []string{v.dir}, Hide: []string{filepath.Join(v.dir, "other")},
	})
	out, _, _ := envtest.Run(t, environment, "cat ../secret ../other/notes; cd ..; echo x >f || echo; echo x >mine/g; cat mine/g", "")
	if want := secret + "\nx\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, environment)
	environment = sandbox(t, env.SandboxConfig{ // the workspace lies in a hidden folder
		Dir: filepath.Join(v.dir, "mine"), Read: []string{filepath.Dir(v.dir)}, Hide: []string{v.dir},
	})
	out, _, _ = envtest.Run(t, environment, "ls ..; cat ../secret; echo x >../f || echo refused; echo y >h; cat h", "")
	if want := "mine\nrefused\ny\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, environment)
}

func TestASandboxSharesAFolderWithOneProgramOnly(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	shared := filepath.Join(v.dir, "other")
	environment := sandbox(t, env.SandboxConfig{Dir: filepath.Join(v.dir, "mine")})
	command := env.Command{Argv: []string{"sh", "-c", "cd " + shared + " && echo x >f && cat ../secret"}}
	for _, c := range []struct {
		own   env.Grants
		there bool
	}{{env.Grants{}, false}, {env.Grants{Shared: []string{shared}}, true}} {
		child, err := environment.Start(t.Context(), command, c.own)
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
	end(t, environment)
}

func TestASignalToAGroupReachesWhatAProgramHasStarted(t *testing.T) {
	t.Parallel()
	environment := sandbox(t, env.SandboxConfig{})
	var out bytes.Buffer
	script := "trap : INT; sh -c 'trap \"echo told; exit\" INT; echo on; while :; do sleep 0.01; done'; exit 0"
	told := make(chan struct{})
	child, err := environment.Start(t.Context(), env.Command{
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
	end(t, environment)
}

// onFirst signals the first write.
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
	environment := sandbox(t, env.SandboxConfig{Network: true})
	if got, errs := escape(t, environment, connecting(fmt.Sprintf("('127.0.0.1', %d)", v.port))); !strings.Contains(got, "127.0.0.1") {
		t.Errorf("got %q, %s", got, errs)
	}
	end(t, environment)
}

func TestAProgramHasTheEnvironmentThatItIsGiven(t *testing.T) {
	t.Setenv("QUIRE_TEST_SECRET", secret)
	environment := sandbox(t, env.SandboxConfig{})
	out, _, _ := envtest.Run(t, environment, "env | cut -d= -f1 | sort | tr '\\n' ' '", "")
	if want := "HOME LANG LOGNAME PATH PIP_RETRIES PWD TMPDIR USER "; strings.ReplaceAll(out, "_ ", "") != want {
		t.Errorf("got %q, want %q", out, want)
	}
	end(t, environment)
}
