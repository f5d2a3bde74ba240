package event

import "encoding/json"

// NotebookTitled says that the notebook was given a title.
type NotebookTitled struct {
	Title string `json:"title"`
}

// Type returns NotebookTitled.
func (*NotebookTitled) Type() Type { return "NotebookTitled" }

// Check requires a title of 1 to [MaxTitle] bytes.
func (e *NotebookTitled) Check() error { return checkText("title", e.Title, 1, MaxTitle) }

// NotebookMetadataSet says that a key of the notebook's metadata was set. No value, or null, removes the key.
type NotebookMetadataSet struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Type returns NotebookMetadataSet.
func (*NotebookMetadataSet) Type() Type { return "NotebookMetadataSet" }

// Check requires a key and a JSON value.
func (e *NotebookMetadataSet) Check() error {
	return firstError(checkKey(e.Key), checkJSON("value", e.Value))
}
