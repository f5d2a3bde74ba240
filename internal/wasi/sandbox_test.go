package wasi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// escapes are programs that look for what is outside: each prints what it got, or nothing. An error is as good.
var escapes = map[string]map[string]string{
	"python": {
		"a file":             "print(open('/etc/passwd').read())",
		"a path with dots":   "print(open('/usr/local/lib/../../../../../etc/passwd').read())",
		"dots in a module":   "print(open('/quire/../etc/passwd').read())",
		"the processes":      "import os; print(os.listdir('/proc'), open('/proc/self/environ').read())",
		"the root":           "import os; print([n for n in os.listdir('/') if n not in ('usr', 'quire', 'dev')])",
		"the environment":    "import os; print(*os.environ.values()); print(os.environb)",
		"a write":            "open('/usr/local/lib/made', 'w').write('x'); print('written')",
		"a change":           "import os; os.rename('/usr/local/lib/python311.zip', '/usr/local/lib/x'); print('renamed')",
		"a removal":          "import os; os.remove('/usr/local/lib/python311.zip'); print('removed')",
		"a link":             "import os; os.symlink('/etc', '/usr/local/lib/link'); print(os.listdir('/usr/local/lib/link'))",
		"a link of devices":  "import os; os.symlink('/etc/passwd', '/quire/link'); print(open('/quire/link').read())",
		"the network":        "import socket; s = socket.socket(); s.connect(('127.0.0.1', 1)); print(s)",
		"a name":             "import urllib.request; print(urllib.request.urlopen('http://localhost/').read())",
		"a process":          "import subprocess; print(subprocess.check_output(['id']))",
		"a shell":            "import os; print(os.popen('id').read() or os.system('id') == 0)",
		"a library of C":     "import ctypes; print(ctypes.CDLL(None))",
		"the working folder": "import os; os.chdir('/notebook'); print(os.listdir('.'))",
	},
	"ruby": {
		"a file":           "puts File.read('/etc/passwd')",
		"a path with dots": "puts File.read('/quire/../../etc/passwd')",
		"the processes":    "puts Dir.children('/proc'), File.read('/proc/self/environ')",
		"the environment":  "puts ENV.values",
		"a write":          "File.write('/quire/made', 'x'); puts 'written'",
		"a removal":        "File.delete('/quire/driver'); puts 'removed'",
		"a link":           "File.symlink('/etc/passwd', '/quire/link'); puts File.read('/quire/link')",
		"the network":      "require 'socket'; puts TCPSocket.new('127.0.0.1', 1)",
		"a process":        "puts `id`",
		"a shell":          "puts 'ran' if system('id')",
		"a child":          "puts fork",
		"JavaScript":       "require 'js'; puts JS.eval('return 1').to_s + JS.global[:process].to_s",
		"a library of C":   "require 'fiddle'; puts Fiddle.dlopen(nil)",
	},
	"perl": {
		"a file":           "open(my $f, '<', '/etc/passwd') or die $!; print <$f>;",
		"a path with dots": "open(my $f, '<', '/quire/../../etc/passwd') or die $!; print <$f>;",
		"the processes":    "opendir(my $d, '/proc') or die $!; print readdir $d;",
		"the environment":  "print values %ENV;",
		"a write":          "open(my $f, '>', '/quire/made') or die $!; print 'written';",
		"a removal":        "unlink '/quire/driver' or die $!; print 'removed';",
		"a link":           "symlink('/etc/passwd', '/quire/link') or die $!; open(my $f, '<', '/quire/link') or die $!; print <$f>;",
		"the network":      "use IO::Socket::INET; my $s = IO::Socket::INET->new('127.0.0.1:1') or die $@; print 'connected';",
		"a process":        "print `id`;",
		"a shell":          "print 'ran' if system('id') == 0;",
		"a child":          "defined fork or die; print 'forked';",
		"a pipe":           "open(my $p, '-|', 'id') or die; print <$p>;",
	},
	"php": {
		"a file":           "echo file_get_contents('/etc/passwd');",
		"a path with dots": "echo file_get_contents('/quire/../../etc/passwd');",
		"an inclusion":     "include '/etc/passwd';",
		"the processes":    "echo implode(scandir('/proc') ?: []), file_get_contents('/proc/self/environ');",
		"the environment":  "echo implode(getenv()), implode($_SERVER), implode($_ENV);",
		"a write":          "if (file_put_contents('/quire/made', 'x')) echo 'written';",
		"a removal":        "if (unlink('/quire/driver')) echo 'removed';",
		"a link":           "if (symlink('/etc/passwd', '/quire/link')) echo file_get_contents('/quire/link');",
		"the network":      "if (fsockopen('127.0.0.1', 1)) echo 'connected';",
		"a page":           "echo file_get_contents('http://localhost/');",
		"a process":        "echo shell_exec('id'), `id`;",
		"a shell":          "system('id');",
	},
}

func reachesNothing(t *testing.T, e *engine) {
	for name, source := range escapes[e.hello.Language] {
		r := e.run(source)
		if strings.Contains(r.out, "secret") || strings.Contains(r.out, "root:") || !isNothing(r.out) {
			t.Errorf("%s: it got %q", name, r.out)
		}
		if r.exit != "" {
			t.Fatalf("%s: the engine ended: %v", name, r.err)
		}
	}
}

// isNothing reports whether a program printed no more than warnings and empty values.
func isNothing(out string) bool {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line != "" && line != "[]" && line != "False" && line != "environ({})" && !strings.HasPrefix(line, "!") && !strings.HasPrefix(line, "Warning:") && !strings.Contains(line, "warning:") {
			return false
		}
	}
	return true
}

// grants are programs that read a file, write one, and read a link that leads out of the folder.
var grants = map[string]struct{ read, write, link string }{
	"python": {"print(open('in.txt').read())", "n = open('made.txt', 'w').write('made')", "print(open('link').read())"},
	"ruby":   {"puts File.read('in.txt')", "File.write('made.txt', 'made'); nil", "puts File.read('link')"},
	"perl":   {"open(my $f, '<', 'in.txt') or die $!; print <$f>, \"\\n\";", "open(my $f, '>', 'made.txt') or die $!; print $f 'made'; close $f;", "open(my $f, '<', 'link') or die $!; print <$f>;"},
	"php":    {"echo file_get_contents('in.txt'), \"\\n\";", "if (!file_put_contents('made.txt', 'made')) throw new Exception('not written');", "echo file_get_contents('link');"},
}

func TestTheFolderOfANotebookIsGrantedOnRequestAlone(t *testing.T) {
	for _, b := range Builds() {
		t.Run(b.Language, func(t *testing.T) {
			t.Parallel()
			g := grants[b.Language]
			base := t.TempDir()
			dir := filepath.Join(base, "notebook")
			err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "in.txt"), []byte("content"), 0o644),
				os.WriteFile(filepath.Join(base, "out.txt"), []byte("secret"), 0o644), os.Symlink("../out.txt", filepath.Join(dir, "link")))
			if err != nil {
				t.Fatal(err)
			}
			made := filepath.Join(dir, "made.txt")

			e := startEngine(t, b.Language, childFolder+"="+dir)
			e.gives(g.read, "content\n")
			if r := e.run(g.link); strings.Contains(r.out, "secret") {
				t.Errorf("a link led out: %q", r.out)
			}
			if r := e.run(g.write); r.err == nil || isThere(made) {
				t.Errorf("a folder that is granted to read was written: %v", r.err)
			}

			e = startEngine(t, b.Language, childFolder+"="+dir, childWritable+"=1")
			e.gives(g.write, "")
			if data, err := os.ReadFile(made); string(data) != "made" || err != nil {
				t.Errorf("got %q, %v", data, err)
			}
			if r := e.run(g.link); strings.Contains(r.out, "secret") {
				t.Errorf("a link led out: %q", r.out)
			}
		})
	}
}
