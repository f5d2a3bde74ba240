package engines

import (
	"fmt"

	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/javascript/typescript"
	"github.com/quirehq/quire/internal/script"
)

// translation returns what an engine executes of a source.
type translation = func(name, source string) (script.Translation, *engineproto.Error)

// translations has the languages that an interpreter of another executes.
func translations() map[string]translation {
	return map[string]translation{"typescript": withoutTypes}
}

// maxTypeScript is the longest source in TypeScript for an interpreter. The parser is in this process, which a source with
// nesting as deep as it is long would end: a level takes 2 KiB of a stack of 1 GB at most.
const maxTypeScript = 128 << 10

// withoutTypes removes the types of TypeScript by esbuild for each version of Node: what Node can remove itself depends on
// its version, and constructs such as enum are not among it.
func withoutTypes(name, source string) (script.Translation, *engineproto.Error) {
	if len(source) > maxTypeScript {
		message := fmt.Sprintf("a source in TypeScript has %s at most, and this one has %s: move data into a file", bytesize.Text(maxTypeScript), bytesize.About(int64(len(source))))
		return script.Translation{}, &engineproto.Error{Name: "SyntaxError", Message: message, Trace: []string{"SyntaxError: " + message}}
	}
	code, sourceMap, failed := typescript.StripWithMap(name, source)
	return script.Translation{Source: code, Map: sourceMap}, failed
}
