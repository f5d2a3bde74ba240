package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	unsafehtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sanitiser makes passive HTML of untrusted Markdown and HTML.
type sanitiser struct {
	policy *bluemonday.Policy
	text   goldmark.Markdown
}

func newSanitiser(code *highlighter) *sanitiser {
	return &sanitiser{
		policy: newPolicy(),
		text: goldmark.New(
			goldmark.WithExtensions(extension.GFM, formulas{}),
			goldmark.WithParserOptions(parser.WithAutoHeadingID()),
			goldmark.WithRendererOptions(
				unsafehtml.WithUnsafe(), // it is sanitised afterwards
				renderer.WithNodeRenderers(util.Prioritized(&nodeRenderer{code}, 100)),
			),
		),
	}
}

// attachments are the pictures of a cell, as base64 by name and MIME type.
type attachments map[string]map[string]any

// markdown returns a text as HTML.
func (c *sanitiser) markdown(text string, files attachments) (string, error) {
	var b bytes.Buffer
	if err := c.text.Convert([]byte(text), &b); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	return setFormulas(c.html(b.String(), files)), nil
}

// setFormulas replaces the formulas of sanitised HTML by MathML. An unsupported one stays as
// source.
func setFormulas(clean string) string {
	for _, class := range []string{"q-tex", "q-tex-display"} {
		open := `<code class="` + class + `">`
		parts := strings.Split(clean, open)
		for i, part := range parts[1:] {
			source, rest, ok := strings.Cut(part, "</code>")
			if !ok || strings.Contains(source, "<") {
				parts[i+1] = open + part
				continue
			}
			parts[i+1] = setFormula(html.UnescapeString(source), class == "q-tex-display") + rest
		}
		clean = strings.Join(parts, "")
	}
	return clean
}

// html returns sanitised HTML: nothing in it runs, is fetched or leaves its place. The source is
// parsed and rendered first, so all elements are balanced. A source that cannot be parsed is shown
// as text.
func (c *sanitiser) html(source string, files attachments) string {
	body := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Body, Data: "body"}
	list, err := nethtml.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		return "<pre>" + nethtml.EscapeString(source) + "</pre>"
	}
	for _, n := range list {
		body.AppendChild(n)
	}
	for n := range body.Descendants() {
		if n.Type == nethtml.ElementNode && n.DataAtom == atom.Img {
			files.resolve(n)
		}
	}
	var b strings.Builder
	for n := range body.ChildNodes() {
		if err := nethtml.Render(&b, n); err != nil {
			return "<pre>" + nethtml.EscapeString(source) + "</pre>"
		}
	}
	return c.policy.Sanitize(b.String())
}

// resolve gives a picture the data of the attachment that it names. A remote one becomes a link, so
// the reader sees it without a request that would reveal the reader.
func (a attachments) resolve(img *nethtml.Node) {
	src, alt := attribute(img, "src"), attribute(img, "alt")
	if name, ok := strings.CutPrefix(src, "attachment:"); ok {
		setAttribute(img, "src", a.data(name))
		return
	}
	if strings.HasPrefix(src, "data:") {
		return
	}
	if alt == "" {
		alt = src
	}
	*img = nethtml.Node{
		Parent: img.Parent, PrevSibling: img.PrevSibling, NextSibling: img.NextSibling,
		Type: nethtml.ElementNode, DataAtom: atom.A, Data: "a", Attr: []nethtml.Attribute{{Key: "href", Val: src}},
	}
	img.AppendChild(&nethtml.Node{Type: nethtml.TextNode, Data: alt})
}

// data returns the first picture of an attachment as a URI.
func (a attachments) data(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain // Markdown escapes characters of a URL
	}
	for _, mime := range pictures {
		if data, ok := a[name][mime].(string); ok {
			return dataURI(mime, data)
		}
	}
	return ""
}

func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func setAttribute(n *nethtml.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
		}
	}
}

// pictures are the MIME types shown as images, the best first.
var pictures = []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"}

// dataURI returns the data URI of a picture, empty for other types. An SVG in an img element runs
// no script and fetches nothing.
func dataURI(mime, data string) string {
	if mime == "image/svg+xml" && strings.Contains(data, "<") {
		return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
	}
	data = strings.Join(strings.Fields(data), "")
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || data == "" {
		return ""
	}
	return "data:" + mime + ";base64," + data
}

var (
	isClass  = regexp.MustCompile(`^[\w\s-]+$`)
	isID     = regexp.MustCompile(`^[\pL\pN_-]+$`)
	isLink   = regexp.MustCompile(`(?i)^(?:https?://|mailto:|#|\.{0,2}/?[\pL\pN_][^:\\]*$)`)
	isSource = regexp.MustCompile(`^data:image/(?:svg\+xml|png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$`)
	isNumber = regexp.MustCompile(`^\d{1,4}$`)
	isLength = regexp.MustCompile(`^\d{1,4}(?:px|%)?$`)
	isWord   = regexp.MustCompile(`^[A-Za-z]{1,16}$`)
	isStyle  = regexp.MustCompile(`^(?:[#\w.%\s,-]|rgba?\(|hsla?\(|\))+$`)
)

// newPolicy returns the permitted HTML: text, lists, tables and pictures, and styles for colour and
// alignment.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "div", "span", "blockquote", "pre", "code", "kbd", "samp", "var",
		"b", "strong", "i", "em", "u", "s", "del", "ins", "sub", "sup", "small", "mark", "abbr", "cite", "q", "dfn", "center", "wbr",
		"ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "figure", "figcaption",
		"table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td")
	p.AllowAttrs("class").Matching(isClass).Globally()
	p.AllowAttrs("title", "lang").Globally()
	p.AllowAttrs("dir", "align", "valign").Matching(isWord).Globally()
	p.AllowAttrs("id").Matching(isID).OnElements("h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("start", "value", "colspan", "rowspan", "span").Matching(isNumber).OnElements("ol", "li", "td", "th", "col", "colgroup")
	p.AllowAttrs("scope").Matching(isWord).OnElements("th")
	p.AllowAttrs("width", "height").Matching(isLength).OnElements("img", "td", "th", "col", "table")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("src").Matching(isSource).OnElements("img")
	p.AllowAttrs("href").Matching(isLink).OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowURLSchemeWithCustomPolicy("data", isPicture)
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	p.AllowStyles("color", "background-color", "font-weight", "font-style", "text-align", "text-decoration", "vertical-align",
		"border", "border-top", "border-right", "border-bottom", "border-left", "border-color", "border-collapse", "white-space").
		MatchingHandler(func(value string) bool { return isStyle.MatchString(value) }).Globally()
	return p
}

// isPicture reports whether a URI with data is a picture.
func isPicture(u *url.URL) bool { return strings.HasPrefix(u.Opaque, "image/") }
