package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// snippet is a small notebook.
type snippet struct {
	topic, name string
	cells       []string
	accepted    map[string]string // reasons for differences, by the name of the way
}

const (
	startsSnippet = "# snippet: "
	startsCell    = "# cell"
)

// acceptance matches a line with the reason for a difference.
var acceptance = regexp.MustCompile(`^# (native|bare|kernel) differs: (.+)$`)

// readSnippets reads all topics of a directory: a file each, NAME.py.
func readSnippets(dir, only string) ([]snippet, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil {
		return nil, err
	}
	var all []snippet
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := parseSnippets(strings.TrimSuffix(filepath.Base(file), ".py"), string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, s := range found {
			if strings.Contains(s.id(), only) {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

func parseSnippets(topic, text string) ([]snippet, error) {
	var all []snippet
	seen := map[string]bool{}
	for _, part := range strings.Split("\n"+text, "\n"+startsSnippet)[1:] {
		head, body, _ := strings.Cut(part, "\n")
		s := snippet{topic: topic, name: strings.TrimSpace(head), accepted: map[string]string{}}
		if seen[s.name] {
			return nil, fmt.Errorf("there are two snippets %q", s.name)
		}
		seen[s.name] = true
		for {
			line, rest, _ := strings.Cut(body, "\n")
			found := acceptance.FindStringSubmatch(line)
			if found == nil {
				break
			}
			s.accepted[found[1]], body = found[2], rest
		}
		for cell := range strings.SplitSeq(body, "\n"+startsCell+"\n") {
			s.cells = append(s.cells, strings.Trim(cell, "\n"))
		}
		all = append(all, s)
	}
	return all, nil
}

func (s snippet) id() string { return s.topic + "/" + s.name }

func (s snippet) source() string { return strings.Join(s.cells, "\n"+startsCell+"\n") }

// beyondBare matches features of a snippet that the bare Python does not support.
var beyondBare = regexp.MustCompile(`get_ipython|IPython|numpy|pandas|matplotlib|(?m:^\s*(\w+ *= *)?%{1,2}[a-z])|\?(?m:$)|__ip`)

// runsIn reports whether a way supports the snippet.
func (s snippet) runsIn(way string) bool {
	return way != "bare" || s.accepted["bare"] != "" || !beyondBare.MatchString(s.source())
}
