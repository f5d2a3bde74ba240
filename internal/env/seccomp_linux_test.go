package env_test

import (
	"os/exec"
	"testing"

	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/env/envtest"
)

// The filter refuses nothing that ordinary programs need.
func TestProgramsWorkBehindTheFilter(t *testing.T) {
	t.Parallel()
	environment := sandbox(t, env.SandboxConfig{})
	for _, c := range []struct{ name, program, script, want string }{
		{"threads and processes", "/usr/bin/python3", `/usr/bin/python3 -c '
import asyncio, concurrent.futures as c, multiprocessing, os, signal, subprocess, threading
with c.ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(-9, 0))))
for kind in ("fork", "spawn"):
    with multiprocessing.get_context(kind).Pool(2) as pool: print(sum(pool.map(abs, range(-9, 0))))
print(subprocess.check_output(["echo", "x"]).decode().strip())
async def f():
    p = await asyncio.create_subprocess_exec("true")
    return await p.wait()
print(asyncio.run(f()))'`, "45\n45\n45\nx\n0\n"},
		{"sockets", "/usr/bin/python3", `/usr/bin/python3 -c '
import socket
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname()); print(len(socket.if_nameindex()))
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); print(socket.getaddrinfo("127.0.0.1", 80)[0][4])'`, "b'x'\n1\n('127.0.0.1', 80)\n"},
		{"git", "git", "git init -q . && echo x >f && git add f && git -c user.name=a -c user.email=a@example.org commit -qm m && git log --format=%s", "m\n"},
		{"node", "node", `node -e 'const fs = require("fs"); fs.promises.writeFile("n", "text").then(() => fs.promises.readFile("n", "utf8")).then(console.log); require("child_process").execSync("true")'`, "text\n"},
		{"R", "R", `R --vanilla --slave -e 'cat(sum(unlist(parallel::mclapply(1:3, function(x) x, mc.cores = 2))), system("echo x", intern = TRUE), "\n")'`, "6 x \n"},
		{"threads of numpy", "/usr/bin/python3", `/usr/bin/python3 -c 'print("ok")
try: import numpy; a = numpy.ones((300, 300)); assert (a @ a)[0, 0] == 300
except ModuleNotFoundError: pass'`, "ok\n"},
		{"a shell's pipes", "bash", `bash -c 'seq 3 | while read x; do echo $((x * 2)); done; cat <(echo end)'`, "2\n4\n6\nend\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("there is no %s", c.program)
			}
			if _, errs, exit := envtest.Run(t, environment, "command -v "+c.program+" && "+path+" --version", ""); !exit.OK() {
				t.Skipf("the sandbox has no %s: %s", c.program, errs)
			}
			if out, errs, exit := envtest.Run(t, environment, c.script, ""); out != c.want || !exit.OK() {
				t.Errorf("got %q, %s, %+v, want %q", out, errs, exit, c.want)
			}
		})
	}
	end(t, environment)
}
