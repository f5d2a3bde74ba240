package html

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// lexers has chroma's descriptions of the languages that we colour. Its own package
// of all of them takes 20 ms of the start of every program that imports it.
//
//go:embed lexers/*.xml
var lexers embed.FS

// How much is coloured. The expressions that do it can take very long on a text
// that is made for that, so what is left when the time is over stays plain.
const (
	maxCode      = 256 << 10       // bytes of one text
	maxColouring = 2 * time.Second // for a page
)

// highlighter colours code.
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

// highlight returns code as HTML, with a class on what has a meaning in the language.
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
	if !strings.HasSuffix(code, "\n") { // the lexer adds what it needs
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// lexer returns the lexer of a language, nil if there is none.
func (h *highlighter) lexer(language string) chroma.Lexer {
	if language == "" {
		return nil
	}
	for _, name := range h.registry.Names(true) {
		if strings.EqualFold(name, language) {
			return h.registry.Get(name)
		}
	}
	return nil
}

// classOf returns the class of a token: few, for few colours are calm.
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

// lexerOf returns the name of the language that a cell is in.
func (p *page) lexerOf(c *notebook.Cell) string {
	if c.Kind == event.KindSQL {
		return "sql"
	}
	return cmp.Or(c.Language, p.language)
}

// languageOf returns the language of a notebook's cells that name none.
func languageOf(n *notebook.Notebook) string {
	var kernel struct {
		Language string `json:"language"`
	}
	var info struct {
		Name string `json:"name"`
	}
	// What is damaged says nothing.
	_ = json.Unmarshal(n.Metadata()["kernelspec"], &kernel)
	_ = json.Unmarshal(n.Metadata()["language_info"], &info)
	return cmp.Or(kernel.Language, info.Name, "python")
}
