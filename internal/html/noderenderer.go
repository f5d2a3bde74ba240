package html

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodeRenderer renders parts of Markdown differently from goldmark: code is highlighted, and the box of a
// task is a character instead of a control.
type nodeRenderer struct{ code *highlighter }

// RegisterFuncs implements renderer.NodeRenderer.
func (n *nodeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, n.block)
	r.Register(extast.KindTaskCheckBox, box)
}

func (n *nodeRenderer) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block, ok := node.(*ast.FencedCodeBlock)
	if !ok {
		return ast.WalkContinue, nil
	}
	code := string(block.Lines().Value(source))
	language := strings.Trim(string(block.Language(source)), "{}")
	_, err := w.WriteString("<pre class=\"q-source\"><code>" + n.code.highlight(strings.TrimSuffix(code, "\n"), language) + "</code></pre>\n")
	return ast.WalkContinue, err
}

func box(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	task, ok := node.(*extast.TaskCheckBox)
	if !entering || !ok {
		return ast.WalkContinue, nil
	}
	sign := "☐ "
	if task.IsChecked {
		sign = "☑ "
	}
	_, err := w.WriteString("<span class=\"q-task\">" + html.EscapeString(sign) + "</span>")
	return ast.WalkContinue, err
}
