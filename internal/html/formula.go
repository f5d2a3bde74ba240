package html

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	kindFormula      = ast.NewNodeKind("Formula")
	kindFormulaBlock = ast.NewNodeKind("FormulaBlock")
)

// formula is an inline formula.
type formula struct {
	ast.BaseInline
	tex     string
	display bool
}

// Kind implements ast.Node.
func (*formula) Kind() ast.NodeKind { return kindFormula }

// Dump implements ast.Node.
func (f *formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"tex": f.tex}, nil)
}

// formulaBlock is a formula on lines of its own.
type formulaBlock struct {
	ast.BaseBlock
	tex string
	end int // its end in the source
}

// Kind implements ast.Node.
func (*formulaBlock) Kind() ast.NodeKind { return kindFormulaBlock }

// IsRaw implements ast.Node.
func (*formulaBlock) IsRaw() bool { return true }

// Dump implements ast.Node.
func (f *formulaBlock) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"tex": f.tex}, nil)
}

// formulas finds text between dollar signs, and LaTeX environments, by the rules of the web page.
type formulas struct{}

// Extend implements goldmark.Extender.
func (formulas) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithInlineParsers(util.Prioritized(inlineFormulas{}, 90)),
		parser.WithBlockParsers(util.Prioritized(blockFormulas{}, 90)),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(formulaNodes{}, 90)))
}

type inlineFormulas struct{}

// Trigger implements parser.InlineParser.
func (inlineFormulas) Trigger() []byte { return []byte{'$'} }

// Parse implements parser.InlineParser. A formula may go on in the next line.
func (inlineFormulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, at := block.Position()
	first, _ := block.PeekLine()
	mark := "$"
	if bytes.HasPrefix(first, []byte("$$")) {
		mark = "$$"
	}
	block.Advance(len(mark))
	all := ""
	for {
		rest, _ := block.PeekLine()
		if rest == nil {
			break
		}
		before := len(all)
		all += string(rest)
		if end := endOfFormula(all, mark); end >= 0 {
			block.Advance(end + len(mark) - before)
			return &formula{tex: strings.TrimSpace(all[:end]), display: mark == "$$"}
		}
		block.AdvanceLine()
	}
	block.SetPosition(line, at)
	return nil
}

// endOfFormula returns the end of a formula at the start of a text, or -1. A price such as $5 is
// none: no space may follow the first sign, none may precede the last one, and no digit may follow
// that.
func endOfFormula(s, mark string) int {
	if mark == "$" && (s == "" || strings.ContainsAny(s[:1], " \t\r\n")) {
		return -1
	}
	for at := 0; ; at++ {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return -1
		}
		at += i
		if isEscaped(s, at) {
			continue
		}
		if strings.TrimSpace(s[:at]) == "" {
			return -1
		}
		if mark == "$$" {
			return at
		}
		next := s[at+1:]
		if strings.ContainsAny(s[at-1:at], " \t\r\n") || next != "" && next[0] >= '0' && next[0] <= '9' {
			return -1
		}
		return at
	}
}

// isEscaped reports whether a character has an odd number of backslashes before it.
func isEscaped(s string, at int) bool {
	n := 0
	for at-n > 0 && s[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

type blockFormulas struct{}

// Trigger implements parser.BlockParser.
func (blockFormulas) Trigger() []byte { return []byte{'$', '\\'} }

// Open implements parser.BlockParser.
func (blockFormulas) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	source := reader.Source()
	start := segment.Start + len(line) - len(bytes.TrimLeft(line, " \t"))
	rest := string(source[min(start, len(source)):])
	tex, length := blockFormula(rest)
	if length == 0 {
		return nil, parser.NoChildren
	}
	return &formulaBlock{tex: tex, end: start + length}, parser.NoChildren
}

// blockFormula returns the formula at the start of a text, if it ends at a line end, and its length
// in the text.
func blockFormula(s string) (tex string, length int) {
	end := 0
	if strings.HasPrefix(s, "$$") {
		i := endOfFormula(s[2:], "$$")
		if i < 0 {
			return "", 0
		}
		tex, end = s[2:2+i], i+4
	} else if name, ok := environmentOf(s); ok {
		close := `\end{` + name + "}"
		i := strings.Index(s, close)
		if i < 0 {
			return "", 0
		}
		end = i + len(close)
		tex = s[:end]
	}
	line, _, _ := strings.Cut(s[end:], "\n")
	if end == 0 || strings.TrimSpace(line) != "" || strings.Contains(tex, "\n\n") {
		return "", 0
	}
	return strings.TrimSpace(tex), end
}

// environmentOf returns the name of the LaTeX environment at the start of a text.
func environmentOf(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, `\begin{`)
	name, _, closed := strings.Cut(rest, "}")
	_, known := environments[strings.TrimSuffix(name, "*")]
	return name, ok && closed && known
}

// Continue implements parser.BlockParser.
func (blockFormulas) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	_, segment := reader.PeekLine()
	f, ok := node.(*formulaBlock)
	if !ok || segment.Start >= f.end {
		return parser.Close
	}
	reader.Advance(segment.Len() - 1)
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (blockFormulas) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (blockFormulas) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (blockFormulas) CanAcceptIndentedLine() bool { return false }

type formulaNodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (n formulaNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindFormula, n.render)
	r.Register(kindFormulaBlock, n.render)
}

func (formulaNodes) render(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var err error
	switch f := node.(type) {
	case *formula:
		err = writeMark(w, f.tex, f.display)
	case *formulaBlock:
		err = writeMark(w, f.tex, true)
	}
	return ast.WalkSkipChildren, err
}

// writeMark writes a formula as code with a class of its own, to be converted after the page is
// sanitised.
func writeMark(w util.BufWriter, tex string, display bool) error {
	class := "q-tex"
	if display {
		class = "q-tex-display"
	}
	_, err := fmt.Fprintf(w, `<code class="%s">%s</code>`, class, html.EscapeString(tex))
	return err
}

// setFormula returns a formula as MathML, or as code if it is not supported.
func setFormula(tex string, display bool) string {
	if set, ok := mathML(tex, display); ok {
		return set
	}
	mark := "$"
	if display {
		mark = "$$"
	}
	return `<code class="q-formula">` + html.EscapeString(mark+tex+mark) + "</code>"
}
