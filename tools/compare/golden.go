package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// golden is the recorded output of a snippet's cells, in the reference and in the ways that may
// differ.
type golden struct {
	Source   string                `json:"source"` // a hash
	Want     [][]string            `json:"want"`
	Accepted map[string][][]string `json:"accepted,omitempty"`
}

// goldens is the recorded outputs by topic and name.
type goldens map[string]map[string]golden

func readGoldens(dir string) (goldens, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := goldens{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var topic map[string]golden
		if err := json.Unmarshal(data, &topic); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := filepath.Base(file)
		all[name[:len(name)-len(".json")]] = topic
	}
	return all, nil
}

// write writes the topics of the snippets, without removed snippets.
func (g goldens) write(dir string) error {
	for topic, names := range g {
		var data bytes.Buffer
		encoder := json.NewEncoder(&data)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(names); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, topic+".json"), data.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// forget removes results without a snippet.
func (g goldens) forget(snippets []snippet) {
	known := map[string]bool{}
	for _, s := range snippets {
		known[s.id()] = true
	}
	for topic, names := range g {
		for name := range names {
			if !known[topic+"/"+name] {
				delete(names, name)
			}
		}
	}
}

func (g goldens) find(s snippet) (golden, bool) {
	k, ok := g[s.topic][s.name]
	return k, ok && k.Source == s.hash()
}

func (g goldens) put(s snippet, k golden) {
	if g[s.topic] == nil {
		g[s.topic] = map[string]golden{}
	}
	g[s.topic][s.name] = k
}

func (s snippet) hash() string {
	sum := sha256.Sum256([]byte(s.source()))
	return hex.EncodeToString(sum[:6])
}

// versions returns the versions of an interpreter and of its IPython.
func versions(python string) (string, error) {
	out, err := exec.Command(python, "-c", "import sys, IPython; print('Python %d.%d, IPython' % sys.version_info[:2], IPython.__version__)").Output()
	return string(out), err
}

func writeVersions(o options) error {
	text, err := versions(o.python)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dir, "versions.txt"), []byte(text), 0o644)
}
