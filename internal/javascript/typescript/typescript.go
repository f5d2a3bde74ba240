// Package typescript removes types from TypeScript, by esbuild, and maps places back.
package typescript

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/quirehq/quire/core/engineproto"
)

// Strip returns the JavaScript of a TypeScript source, and where its parts come from.
func Strip(name, source string) (string, *Mappings, *engineproto.Error) {
	code, sourceMap, failed := StripWithMap(name, source)
	if failed != nil {
		return "", nil, failed
	}
	original, err := readMappings(sourceMap)
	if err != nil {
		return "", nil, &engineproto.Error{Name: "SyntaxError", Message: err.Error()}
	}
	return code, original, nil
}

// StripWithMap returns the JavaScript of a TypeScript source, and the source map, version 3, from it to the source. Imports
// stay, also of what the source itself does not use: another may.
func StripWithMap(name, source string) (string, json.RawMessage, *engineproto.Error) {
	result := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ESNext, Sourcefile: name, LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		TsconfigRaw: `{"compilerOptions": {"target": "esnext", "experimentalDecorators": true, "verbatimModuleSyntax": true}}`,
	})
	if len(result.Errors) > 0 {
		return "", nil, syntaxError(name, result.Errors)
	}
	return string(result.Code), result.Map, nil
}

// syntaxError returns the first error of esbuild, with the line and a mark below it as trace.
func syntaxError(name string, errors []api.Message) *engineproto.Error {
	e := &engineproto.Error{Name: "SyntaxError", Message: errors[0].Text}
	at := errors[0].Location
	if at == nil {
		e.Trace = []string{e.Error()}
		return e
	}
	before := at.LineText[:min(at.Column, len(at.LineText))] // a column is bytes
	e.Line, e.Column = at.Line, 1+len(utf16.Encode([]rune(before)))
	e.Trace = []string{e.Error(), fmt.Sprintf("    at %s:%d:%d", name, e.Line, e.Column), at.LineText, strings.Repeat(" ", e.Column-1) + "^"}
	return e
}
