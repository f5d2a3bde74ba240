package sqlcell

import (
	"bytes"
	"encoding/json"
)

// parameters are values by name, as JSON.
type parameters map[string]json.RawMessage

// decodeValue returns a value of JSON with its numbers as they are written.
func decodeValue(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
