package file

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// NotJSON returns an error that says at which line and column, both from 1, a text stops to be JSON.
func NotJSON(data []byte, err *json.SyntaxError) error {
	before := data[:min(max(err.Offset-1, 0), int64(len(data)))]
	line, column := bytes.Count(before, []byte{'\n'})+1, len(before)-bytes.LastIndexByte(before, '\n')
	if strings.Contains(err.Error(), "unexpected end") { // the place alone does not tell it from a wrong last letter
		return fmt.Errorf("line %d, column %d: it is not JSON: it ends too early", line, column)
	}
	return fmt.Errorf("line %d, column %d: it is not JSON", line, column)
}
