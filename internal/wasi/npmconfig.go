package wasi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// NPMConfig is what counts of a user's configuration of npm: the registries, and tokens for them.
type NPMConfig struct {
	values map[string]string
}

// npmPatience is how long npm may take to tell its configuration.
const npmPatience = 20 * time.Second

// ReadNPMConfig reads the configuration of the user: what npm says of it, if npm is found in the PATH, else the environment and the
// file of the user. Tokens are in that file alone: npm does not tell them.
func ReadNPMConfig(ctx context.Context, getenv func(string) string, home func() (string, error)) *NPMConfig {
	c := &NPMConfig{values: map[string]string{}}
	name := cmp.Or(getenv("NPM_CONFIG_USERCONFIG"), getenv("npm_config_userconfig"))
	if dir, err := home(); name == "" && err == nil {
		name = filepath.Join(dir, ".npmrc")
	}
	if data, err := readSmall(name, 1<<20); err == nil {
		c.values = decodeNPMRC(data, getenv)
	}
	if said := askNPM(ctx); said != nil {
		for key, value := range said {
			if text, ok := value.(string); ok && isRegistry(key) {
				c.values[key] = text
			}
		}
		return c
	}
	if registry := cmp.Or(getenv("NPM_CONFIG_REGISTRY"), getenv("npm_config_registry")); registry != "" {
		c.values["registry"] = registry
	}
	return c
}

func isRegistry(key string) bool { return key == "registry" || strings.HasSuffix(key, ":registry") }

// askNPM returns the configuration as npm has it; nil if it cannot be asked.
func askNPM(ctx context.Context) map[string]any {
	program, err := exec.LookPath("npm")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, npmPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "config", "list", "--json")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var said map[string]any
	if err != nil || json.Unmarshal(out, &said) != nil {
		return nil
	}
	return said
}

// decodeNPMRC decodes a file of npm's configuration: lines of key = value, in which ${NAME} stands for a variable.
func decodeNPMRC(data []byte, getenv func(string) string) map[string]string {
	values := map[string]string{}
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' || text[0] == ';' || text[0] == '[' {
			continue
		}
		key, value, _ := strings.Cut(text, "=")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		values[strings.TrimSpace(key)] = expand(value, getenv)
	}
	return values
}

// expand replaces ${NAME}; one whose variable is not set is kept, as npm does.
func expand(text string, getenv func(string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		out.WriteString(before)
		if !found || !closed {
			if found {
				out.WriteString("${" + rest)
			}
			return out.String()
		}
		if value := getenv(name); value != "" {
			out.WriteString(value)
		} else {
			out.WriteString("${" + name + "}")
		}
		text = after
	}
}

// registry returns the registry of a package, that of its scope first. Its path ends with a slash.
func (c *NPMConfig) registry(pkg string) (*url.URL, error) {
	scope, _, scoped := strings.Cut(pkg, "/")
	named := c.values["registry"]
	if scoped {
		named = cmp.Or(c.values[scope+":registry"], named)
	}
	if named == "" {
		return nil, errors.New("no registry is configured, and npm, which knows its own, is not in PATH: set NPM_CONFIG_REGISTRY to the address of one, or give the archive by --from")
	}
	u, err := url.Parse(named)
	if err == nil && (u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		err = fmt.Errorf("want a URL with http or https")
	}
	if err != nil {
		return nil, fmt.Errorf("the registry %q of npm's configuration: %w", named, err)
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

// token returns the token of the user for a URL, "" if there is none: that of the longest path which is configured.
func (c *NPMConfig) token(u *url.URL) string {
	for dir := u.Path; ; {
		if token := c.values["//"+u.Host+strings.TrimRight(dir, "/")+"/:_authToken"]; token != "" {
			return token
		}
		i := strings.LastIndex(strings.TrimRight(dir, "/"), "/")
		if i < 0 {
			return ""
		}
		dir = dir[:i+1]
	}
}
