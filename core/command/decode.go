package command

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode reads a command from a JSON object whose member kind names its type. An unknown kind or member is an error
// that names it.
func Decode(data []byte) (Command, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("command is not a JSON object: %w", err)
	}
	var kind string
	if err := json.Unmarshal(members["kind"], &kind); err != nil {
		return nil, fmt.Errorf("command has no kind that is a string: %w", err)
	}
	c := blank(kind)
	if c == nil {
		return nil, fmt.Errorf("there is no command %q", kind)
	}
	delete(members, "kind")
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", kind, err)
	}
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, fmt.Errorf("command %s: %w", kind, err)
	}
	return c, nil
}

// blank returns an empty command of a kind, or nil.
func blank(kind string) Command {
	for _, c := range []Command{
		new(AddCell), new(DeleteCells), new(RestoreCells), new(MoveCells), new(ChangeKind), new(ChangeLanguage),
		new(SetVisibility), new(SplitCell), new(MergeCells), new(PasteCells), new(ReplaceText), new(Attach), new(SetTitle),
		new(SetMetadata), new(RunCells), new(CancelRuns), new(AnswerInput), new(ClearOutputs), new(Undo), new(Redo),
	} {
		if c.command() == kind {
			return c
		}
	}
	return nil
}
