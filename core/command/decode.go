package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Decode reads a command from a JSON object whose member kind names its type. An unknown kind or member is an error
// that names it.
func Decode(data []byte) (Command, error) {
	kind, rest, err := split(data)
	if err != nil {
		return nil, err
	}
	c := blank(kind)
	if c == nil {
		return nil, fmt.Errorf("there is no command %q", kind)
	}
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, fmt.Errorf("command %s: %w", kind, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("command %s: there is more behind its JSON object", kind)
	}
	return c, nil
}

// split returns the kind of a command, and its JSON object without that. The members are parsed only if the kind is not
// the first, where the page puts it.
func split(data []byte) (kind string, rest []byte, err error) {
	if after, ok := bytes.CutPrefix(data, []byte(`{"kind":"`)); ok {
		name, members, _ := bytes.Cut(after, []byte(`"`))
		members, more := bytes.CutPrefix(members, []byte(`,`))
		if more && bytes.HasPrefix(members, []byte(`"`)) || !more && bytes.HasPrefix(members, []byte(`}`)) {
			return string(name), append([]byte(`{`), members...), nil
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return "", nil, fmt.Errorf("command is not a JSON object: %w", err)
	}
	if err := json.Unmarshal(members["kind"], &kind); err != nil {
		return "", nil, fmt.Errorf("command has no kind that is a string: %w", err)
	}
	delete(members, "kind")
	if rest, err = json.Marshal(members); err != nil {
		return "", nil, fmt.Errorf("command %s: %w", kind, err)
	}
	return kind, rest, nil
}

// blank returns an empty command of a kind, or nil.
func blank(kind string) Command {
	for _, c := range []Command{
		new(AddCell), new(DeleteCells), new(RestoreCells), new(MoveCells), new(ChangeKind), new(ChangeLanguage),
		new(SetVisibility), new(SplitCell), new(MergeCells), new(PasteCells), new(ReplaceText), new(Attach), new(SetTitle),
		new(SetMetadata), new(RunCells), new(CancelRuns), new(AnswerInput), new(AnswerApproval), new(ClearOutputs), new(Undo), new(Redo),
	} {
		if c.command() == kind {
			return c
		}
	}
	return nil
}
