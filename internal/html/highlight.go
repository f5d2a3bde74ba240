package html

import (
	"embed"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/quirehq/quire/core/lang/names"
)

// lexers has chroma's descriptions of the supported languages. Importing chroma's package of all of
// them would add 20 ms to the start of every program.
//
//go:embed lexers/*.xml
var lexers embed.FS

// Bounds of highlighting. The regular expressions can be very slow on crafted input; text after the
// time limit stays plain.
const (
	maxCode      = 256 << 10       // bytes of one text
	maxColouring = 2 * time.Second // for a page
)

// highlighter highlights code.
type highlighter struct {
	registry *chroma.LexerRegistry
	left     time.Duration
}

func newHighlighter() (*highlighter, error) {
	h := &highlighter{registry: chroma.NewLexerRegistry(), left: maxColouring}
	files, err := lexers.ReadDir("lexers")
	if err != nil {
		return nil, fmt.Errorf("list languages: %w", err)
	}
	for _, f := range files {
		lexer, err := chroma.NewXMLLexer(lexers, "lexers/"+f.Name())
		if err != nil {
			return nil, fmt.Errorf("read language %s: %w", f.Name(), err)
		}
		h.registry.Register(lexer)
	}
	return h, nil
}

// highlight returns code as HTML, with a class on each token with a meaning.
func (h *highlighter) highlight(code, language string) string {
	lexer := h.lexer(language)
	if lexer == nil || len(code) > maxCode || h.left <= 0 {
		return html.EscapeString(code)
	}
	began := time.Now()
	defer func() { h.left -= time.Since(began) }()
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return html.EscapeString(code)
	}
	var b strings.Builder
	for token := range tokens.Stdlib() {
		text := html.EscapeString(token.Value)
		if class := classOf(token.Type); class != "" {
			text = "<span class=\"" + class + "\">" + text + "</span>"
		}
		b.WriteString(text)
		if time.Since(began) > h.left {
			return html.EscapeString(code)
		}
	}
	if !strings.HasSuffix(code, "\n") { // the lexer appends a line break
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// lexer returns the lexer of a language, nil if there is none.
func (h *highlighter) lexer(language string) chroma.Lexer {
	if language == "" {
		return nil
	}
	language = names.ID(language)
	for _, name := range h.registry.Names(true) {
		if strings.EqualFold(name, language) {
			return h.registry.Get(name)
		}
	}
	return nil
}

// classOf returns the class of a token. There are few, for a calm look.
func classOf(t chroma.TokenType) string {
	switch {
	case t == chroma.Error || t == chroma.Text || t == chroma.TextWhitespace:
		return ""
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber), t == chroma.NameConstant:
		return "m"
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameClass, t == chroma.NameDecorator, t == chroma.NameTag:
		return "f"
	case t == chroma.NameBuiltin, t == chroma.NameBuiltinPseudo, t == chroma.NameAttribute, t == chroma.NameException:
		return "b"
	case t == chroma.GenericInserted:
		return "gi"
	case t == chroma.GenericDeleted:
		return "gd"
	}
	return ""
}
