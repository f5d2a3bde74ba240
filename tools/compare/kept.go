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

// kept is the recorded output of a snippet's cells, in the reference and in the ways that may
// differ.
type kept struct {
	Source   string                `json:"source"` // a hash
	Want     [][]string            `json:"want"`
	Accepted map[string][][]string `json:"accepted,omitempty"`
}

// record is the recorded results by topic and name.
type record map[string]map[string]kept

func readRecord(dir string) (record, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := record{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var topic map[string]kept
		if err := json.Unmarshal(data, &topic); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := filepath.Base(file)
		all[name[:len(name)-len(".json")]] = topic
	}
	return all, nil
}

// write writes the topics of the snippets, without removed snippets.
func (r record) write(dir string) error {
	for topic, names := range r {
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
func (r record) forget(snippets []snippet) {
	known := map[string]bool{}
	for _, s := range snippets {
		known[s.id()] = true
	}
	for topic, names := range r {
		for name := range names {
			if !known[topic+"/"+name] {
				delete(names, name)
			}
		}
	}
}

func (r record) find(s snippet) (kept, bool) {
	k, ok := r[s.topic][s.name]
	return k, ok && k.Source == s.hash()
}

func (r record) put(s snippet, k kept) {
	if r[s.topic] == nil {
		r[s.topic] = map[string]kept{}
	}
	r[s.topic][s.name] = k
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
