package langtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/quirehq/quire/core/lang"
)

// Abilities implements lang.Engine: it has all but draining.
func (s *Scripted) Abilities() lang.Abilities {
	return lang.Abilities{Completer: s, Inspector: s, VariableLister: s, Installer: s, Resetter: s, Commer: s, Accessor: s, Tabler: s}
}

// usage has the commands with their documentation, for Inspect and Complete.
func usage() map[string]string {
	return map[string]string{
		"print": "print TEXT\na line on stdout", "warn": "warn TEXT\na line on stderr",
		"display": "display MIME TEXT\nshow TEXT", "result": "result TEXT\nthe value of the run",
		"set": "set NAME TEXT\nkeep TEXT for later runs", "get": "get NAME\nthe value of the run is what set kept",
		"ask": "ask PROMPT\na line on stdout: what was answered",
	}
}

// Complete implements lang.Completer.
func (s *Scripted) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	vars, err := s.known(ctx)
	if err != nil {
		return lang.Completion{}, err
	}
	source := utf16.Encode([]rune(at.Source))
	end := min(max(at.Cursor, 0), len(source))
	start := end
	for start > 0 && isWord(source[start-1]) {
		start--
	}
	begun := string(utf16.Decode(source[start:end]))
	found := lang.Completion{Start: start, End: end}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if strings.HasPrefix(name, begun) {
			found.Items = append(found.Items, lang.Candidate{Text: name, Kind: "variable", Type: "text"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(usage())) {
		if strings.HasPrefix(name, begun) {
			found.Items = append(found.Items, lang.Candidate{Text: name, Kind: "keyword"})
		}
	}
	return found, nil
}

// Inspect implements lang.Inspector.
func (s *Scripted) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	vars, err := s.known(ctx)
	if err != nil {
		return lang.Inspection{}, err
	}
	source := utf16.Encode([]rune(at.Source))
	start := min(max(at.Cursor, 0), len(source))
	end := start
	for start > 0 && isWord(source[start-1]) {
		start--
	}
	for end < len(source) && isWord(source[end]) {
		end++
	}
	name := string(utf16.Decode(source[start:end]))
	if text, ok := vars[name]; ok {
		return lang.Inspection{Found: true, Signature: "set " + name, Data: lang.Text("text/plain", text).Data}, nil
	}
	if text, ok := usage()[name]; ok {
		signature, doc, _ := strings.Cut(text, "\n")
		return lang.Inspection{Found: true, Signature: signature, Data: lang.Text("text/plain", doc).Data}, nil
	}
	return lang.Inspection{}, nil
}

// isWord reports whether a unit can be in a name: anything but ASCII space and (.
func isWord(unit uint16) bool {
	return unit > ' ' && unit != '('
}

// Variables implements lang.VariableLister.
func (s *Scripted) Variables(ctx context.Context) ([]lang.Variable, error) {
	vars, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	var list []lang.Variable
	for name, text := range vars {
		list = append(list, lang.Variable{Name: name, Type: "text", Size: int64(len(text)), Preview: text})
	}
	slices.SortFunc(list, func(a, b lang.Variable) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// known returns a copy of the variables, unless the engine cannot answer.
func (s *Scripted) known(ctx context.Context) (map[string]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.unfitLocked(); err != nil {
		return nil, err
	}
	return maps.Clone(s.vars), nil
}

// Install implements lang.Installer.
func (s *Scripted) Install(ctx context.Context, packages []string, sink lang.Sink) error {
	if _, err := s.known(ctx); err != nil {
		return err
	}
	for _, name := range packages {
		if strings.HasPrefix(name, "no-") {
			return fmt.Errorf("there is no package %s", name)
		}
		sink.Stream(lang.Stdout, "installed "+name+"\n")
		s.mu.Lock()
		s.packages[name] = true
		s.mu.Unlock()
	}
	return nil
}

// imports runs the command that needs a package.
func (s *Scripted) imports(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.packages[name] {
		return &lang.Error{Name: "ImportError", Message: "there is no " + name}
	}
	return nil
}

// Reset implements lang.Resetter.
func (s *Scripted) Reset(ctx context.Context) error {
	if _, err := s.known(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.vars)
	s.count = 0
	return nil
}

// Get implements lang.Accessor: a variable is a string, unless its text is JSON.
func (s *Scripted) Get(ctx context.Context, name string) (json.RawMessage, error) {
	vars, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	text, ok := vars[name]
	switch {
	case !ok:
		return nil, &lang.Error{Name: "NameError", Message: "there is no variable " + name}
	case json.Valid([]byte(text)):
		return json.RawMessage(text), nil
	}
	return json.Marshal(text)
}

// Set implements lang.Accessor.
func (s *Scripted) Set(ctx context.Context, name string, value json.RawMessage) error {
	if _, err := s.known(ctx); err != nil {
		return err
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return &lang.Error{Name: "NameError", Message: fmt.Sprintf("%q is no name of a variable", name)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vars[name] = string(value)
	return nil
}

// Table implements lang.Tabler: a variable is a table if its text is one.
func (s *Scripted) Table(ctx context.Context, name string) (json.RawMessage, error) {
	vars, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	text, ok := vars[name]
	switch {
	case !ok:
		return nil, lang.ErrNoVariable
	case !strings.HasPrefix(text, `{"schema":`):
		return nil, lang.ErrNoTable
	}
	return json.RawMessage(text), nil
}

// SetTable implements lang.Tabler.
func (s *Scripted) SetTable(ctx context.Context, name string, table json.RawMessage) error {
	return s.Set(ctx, name, table)
}
