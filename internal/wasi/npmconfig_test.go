package wasi

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheConfigurationOfNPMIsRead(t *testing.T) {
	text := `
; a comment
# another
registry = "https://one.example/npm"
@scope:registry=https://two.example/
//one.example/npm/:_authToken=${TOKEN}
//two.example/:_authToken=${NOT_SET}
[section]
no value
`
	c := NPMConfig{values: decodeNPMRC([]byte(text), func(name string) string { return map[string]string{"TOKEN": "t-1"}[name] })}
	for pkg, want := range map[string]string{"name": "https://one.example/npm/", "@scope/name": "https://two.example/", "@other/name": "https://one.example/npm/"} {
		if u, err := c.registry(pkg); err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v, want %s", pkg, u, err, want)
		}
	}
	for text, want := range map[string]string{
		"https://one.example/npm/a/-/b.tgz": "t-1", "https://one.example/other": "", "https://two.example/a": "${NOT_SET}", "https://three.example/": "",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.token(u); got != want {
			t.Errorf("%s: got the token %q, want %q", text, got, want)
		}
	}
}

func TestWithoutNPMTheEnvironmentAndTheFileOfTheUserCount(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry=https://file.example/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  map[string]string
		home string
		want string
	}{
		"nothing":                  {nil, t.TempDir(), ""},
		"the file":                 {nil, home, "https://file.example/"},
		"a variable":               {map[string]string{"NPM_CONFIG_REGISTRY": "https://variable.example"}, home, "https://variable.example/"},
		"npm's own name":           {map[string]string{"npm_config_registry": "https://variable.example"}, home, "https://variable.example/"},
		"a file by name":           {map[string]string{"NPM_CONFIG_USERCONFIG": filepath.Join(home, ".npmrc")}, t.TempDir(), "https://file.example/"},
		"a file that is not there": {map[string]string{"NPM_CONFIG_USERCONFIG": filepath.Join(home, "none")}, home, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadNPMConfig(t.Context(), func(v string) string { return c.env[v] }, func() (string, error) { return c.home, nil }).registry("name")
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), "NPM_CONFIG_REGISTRY") {
					t.Errorf("got %v, %v, want an error that says what helps", got, err)
				}
				return
			}
			if err != nil || got.String() != c.want {
				t.Errorf("got %v, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestNPMTellsItsConfiguration(t *testing.T) {
	dir := t.TempDir()
	program := "#!/bin/sh\necho '{\"registry\":\"https://said.example/\",\"@scope:registry\":\"https://scope.example/\",\"fund\":false}'\n"
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := ReadNPMConfig(t.Context(), func(string) string { return "" }, func() (string, error) { return t.TempDir(), nil })
	for pkg, want := range map[string]string{"name": "https://said.example/", "@scope/name": "https://scope.example/"} {
		if u, err := c.registry(pkg); err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v, want %s", pkg, u, err, want)
		}
	}
}

func TestARegistryThatIsNoURLIsRefused(t *testing.T) {
	for _, text := range []string{"ftp://a.example/", "a.example", "https://", "%zz"} {
		if u, err := (&NPMConfig{values: map[string]string{"registry": text}}).registry("name"); err == nil {
			t.Errorf("%q: got %v, want an error", text, u)
		}
	}
}
