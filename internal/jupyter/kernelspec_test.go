package jupyter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// addSpec writes a kernelspec into a folder of kernels, and returns its folder.
func addSpec(t *testing.T, data, name, spec string) string {
	t.Helper()
	dir := filepath.Join(data, "kernels", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, specFile), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const goodSpec = `{"argv": ["kernel", "{connection_file}"], "language": "Go", "display_name": "Go 1"}`

// listed lists the kernels, without those of the machine.
func listed(t *testing.T, s Search) map[string]Kernel {
	t.Helper()
	found := map[string]Kernel{}
	for _, k := range s.List() {
		if !strings.HasPrefix(k.Dir, "/usr/") {
			found[k.Name] = k
		}
	}
	return found
}

func TestKernelsAreFoundInJupytersOrder(t *testing.T) {
	path1, path2, user, prefix := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	bin := filepath.Join(prefix, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(bin, "python3")
	if err := os.WriteFile(python, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(prefix, "share", "jupyter")
	places := []string{path1, path2, user, data}
	for i, name := range []string{"a", "b", "c", "d"} { // each kernel is in one more folder than the next
		for _, place := range places[i:] {
			addSpec(t, place, name, goodSpec)
		}
	}
	addSpec(t, user, "Upper", goodSpec)
	addSpec(t, user, "no kernel", goodSpec)
	env := []string{"JUPYTER_PATH=" + path1 + string(filepath.ListSeparator) + path2, "JUPYTER_DATA_DIR=" + user}
	for name, s := range map[string]Search{
		"by its path":          {Env: env, Python: python},
		"by PATH":              {Env: append(env, "PATH=relative:"+bin)},
		"active":               {Env: append(env, "VIRTUAL_ENV="+prefix)},
		"active in conda":      {Env: append(env, "CONDA_PREFIX="+prefix)},
		"by the name in PATH":  {Env: append(env, "PATH="+bin), Python: "python3"},
		"before VIRTUAL_ENV's": {Env: append(env, "VIRTUAL_ENV=/nowhere"), Python: python},
	} {
		t.Run("with Python "+name, func(t *testing.T) {
			got := map[string]string{}
			for name, k := range listed(t, s) {
				got[name] = filepath.Dir(filepath.Dir(k.Dir))
			}
			want := map[string]string{"a": path1, "b": path2, "c": user, "d": data, "upper": user}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheUsersDataIsWhereItsSystemHasIt(t *testing.T) {
	home := t.TempDir()
	addSpec(t, filepath.Join(home, ".local", "share", "jupyter"), "mine", goodSpec)
	addSpec(t, filepath.Join(home, "xdg", "jupyter"), "xdg", goodSpec)
	addSpec(t, filepath.Join(home, "Library", "Jupyter"), "mine", goodSpec)
	if _, ok := listed(t, Search{Env: []string{"HOME=" + home}})["mine"]; !ok {
		t.Error("the kernel of the home directory is not listed")
	}
}

func TestADamagedKernelspecIsListedWithItsFault(t *testing.T) {
	data := t.TempDir()
	for name, c := range map[string]struct{ spec, fault string }{
		"json":      {`{"argv": `, "is not a kernelspec: unexpected end"},
		"types":     {`{"argv": "kernel"}`, "is not a kernelspec"},
		"argv":      {`{"language": "x"}`, `"argv" must say which program to start`},
		"language":  {`{"argv": ["x", "{connection_file}"]}`, `"language" must say what it executes`},
		"interrupt": {`{"argv": ["x", "{connection_file}"], "language": "x", "interrupt_mode": "knock"}`, `"interrupt_mode" is "knock"`},
		"file":      {`{"argv": ["x"], "language": "x"}`, "must have {connection_file}"},
		"large":     {strings.Repeat(" ", maxSpec) + goodSpec, "at most"},
	} {
		dir := addSpec(t, data, name, c.spec)
		k, ok := listed(t, Search{Env: []string{"JUPYTER_PATH=" + data}})[name]
		if !ok || k.Fault == nil || !strings.Contains(k.Fault.Error(), c.fault) || k.Dir != dir {
			t.Errorf("%s: got %+v, want the fault %q", name, k, c.fault)
		}
		if _, err := New(Config{Kernel: k}); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: an engine: got %v, want the fault %q", name, err, c.fault)
		}
	}
}

func TestAKernelspecSaysHowToStart(t *testing.T) {
	data := t.TempDir()
	dir := addSpec(t, data, "full", `{"argv": ["python3.11", "-r", "{resource_dir}/x", "--file={connection_file}", "{other}"],
		"language": " R ", "interrupt_mode": "message",
		"env": {"A": "${HOME}/a:$B:$$:${NOT_SET}:$", "B": "b"}}`)
	k := listed(t, Search{Env: []string{"JUPYTER_PATH=" + data}})["full"]
	if k.Fault != nil || k.Language != "r" || k.Display != "full" || !k.ByMessage {
		t.Fatalf("got %+v", k)
	}
	argv, env := k.command("/c.json", []string{"HOME=/h", "B=old"})
	if diff := cmp.Diff([]string{"python3.11", "-r", dir + "/x", "--file=/c.json", "{other}"}, argv); diff != "" {
		t.Errorf("argv (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"A": "/h/a:old:$:${NOT_SET}:$", "B": "b", "HOME": "/h"} {
		if got, _ := lookup(env, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestAnEnvironmentsKernelRunsOnItsPython(t *testing.T) {
	for program, want := range map[string]string{
		"python": "/env/bin/python", "python3": "/env/bin/python", "python3.12": "/env/bin/python",
		"pythonic": "pythonic", "/usr/bin/python3": "/usr/bin/python3", "R": "R",
	} {
		k := Kernel{Argv: []string{program, connectionMark}, python: "/env/bin/python"}
		if argv, _ := k.command("", nil); argv[0] != want {
			t.Errorf("%s: got %s, want %s", program, argv[0], want)
		}
	}
}
