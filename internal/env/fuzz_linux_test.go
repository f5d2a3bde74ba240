package env

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzControlGroups parses mounts and groups of the kernel, with names chosen by programs: the
// folder of a group is a path below the mount point.
func FuzzControlGroups(f *testing.F) {
	f.Add("30 23 0:26 / /none/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n", "0::/user.slice/a.scope\n")
	f.Add("31 30 0:27 /a /none/memory rw - cgroup cgroup rw,memory\n32 30 0:28 / /none/pids rw - cgroup cgroup rw,pids\n", "4:memory:/a/b\n3:pids,x:/../..\n")
	f.Add("x - cgroup2\n - \n1 2 3 4 5 - cgroup2 a b", "::\n0:\nno:colons")
	f.Add("1 2 3 / /none/\\040x - cgroup2 a b\n", "0::/\n")
	f.Fuzz(func(t *testing.T, mounts, own string) {
		for _, m := range parseMounts([]byte(mounts)) {
			if m.root == "" || m.at == "" || strings.ContainsAny(m.at, " \n") {
				t.Fatalf("got %+v", m)
			}
			for _, path := range parseOwn([]byte(own)) {
				dir := m.folder(path)
				if filepath.IsAbs(m.at) && !filepath.IsAbs(dir) || dir != filepath.Clean(dir) {
					t.Fatalf("got the folder %q of %q in %+v", dir, path, m)
				}
				if inside := within(dir, m.at); strings.HasPrefix(dir, m.at+"/") && !inside && m.at != "/" {
					t.Fatalf("%q is not taken to be in %q", dir, m.at)
				}
			}
		}
	})
}
