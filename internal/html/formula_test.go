package html

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
)

func TestFormulasOfMarkdownAreSet(t *testing.T) {
	code, err := newHighlighter()
	if err != nil {
		t.Fatal(err)
	}
	c := newSanitiser(code)
	for _, test := range []struct{ name, source, want string }{
		{"a display", `$$\hat\beta = (X^\top X)^{-1}X^\top y$$`, "<mover accent=\"true\"><mi>β</mi><mo>^</mo></mover>"},
		{"within a line", `Euler: $e^{i\pi}+1=0$.`, "<msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup>"},
		{"signs of Markdown", "$a_1 * b_2 * c_1$", "<msub><mi>a</mi><mn>1</mn></msub>"},
		{"over lines that look like a list", "$$\nx = a\n+ b\n$$", "<mi>a</mi><mo>+</mo><mi>b</mi>"},
		{"an environment", "text\n\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\nmore", "<mtr>"},
		{"in a list", "- one $x^2$\n- two", "<msup><mi>x</mi><mn>2</mn></msup>"},
		{"what is not known stays as it is", `$\unknown{x}$`, `<code class="q-formula">$\unknown{x}$</code>`},
		{"a price", "It costs $5 and $6.", "It costs $5 and $6."},
		{"code", "`$x$`", "<code>$x$</code>"},
		{"less than", "$a<b$", "<mo>&lt;</mo>"},
		{"hostile", `$\text{<img src=x onerror=alert(1)>}$`, "&lt;img src=x onerror=alert(1)&gt;"},
	} {
		got, err := c.markdown(test.source, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s in it", test.name, got, test.want)
		}
	}
}

func TestFormulasAreMathML(t *testing.T) {
	for _, tex := range []string{
		`\frac{a}{b}`, `\sqrt[3]{x}+\sqrt2`, `\sum_{i=1}^n i^2`, `\int_0^\infty e^{-x^2}\,dx`, `\lim_{x\to0}\frac{\sin x}{x}=1`,
		`\begin{pmatrix}1&2\\3&4\end{pmatrix}`, `f(x)=\begin{cases}1&x>0\\0&\text{else}\end{cases}`, `\mathbb{R}^n,\mathcal{L},\mathbf{x},\boldsymbol{\beta}`,
		`\left(\frac12\right)`, `\left.\frac{d}{dx}\right|_{x=0}`, `\binom nk`, `x'`, `f''(x)`, `\overline{AB}`, `a\not=b`, `\operatorname*{argmin}_x f`,
		`\begin{aligned}a&=b\\&=c\end{aligned}`, `P(A\mid B)`, `\|x\|_2`, `\{1,2\}`, `10\%`, `1.5\cdot10^{-3}`, `{}_2F_1`, `\underbrace{a+b}_{n}`,
		`\begin{array}{cc}a&b\\\hline c&d\end{array}`, `\hat{y}_i = \mathrm{softmax}(z_i)`, `\nabla \cdot \vec{E} = \frac{\rho}{\varepsilon_0}`,
		`\bigl( x \bigr)`, `x_{1}^{2}`, `\Pr(X=x)`, `\displaystyle \prod_{k} a_k`, `A^\top`, `\text{if } x`,
	} {
		set, ok := mathML(tex, true)
		if !ok {
			t.Errorf("%s is not set", tex)
			continue
		}
		for d := xml.NewDecoder(strings.NewReader(set)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v in %s", tex, err, set)
				break
			}
		}
	}
}

func FuzzAFormulaIsHarmless(f *testing.F) {
	for _, tex := range []string{`\frac{a}{b`, `\left(`, `a_`, `\begin{align}a&b\\`, `}`, `\not`, `\text{"<>`, "%", `\mathbf`, `\`, `\\`, `x^^2`, `\sqrt[`} {
		f.Add(tex)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		set, ok := mathML(tex, false)
		if !ok {
			return
		}
		for z := nethtml.NewTokenizer(strings.NewReader(set)); ; {
			kind := z.Next()
			if kind == nethtml.ErrorToken {
				return
			}
			token := z.Token()
			if kind != nethtml.StartTagToken && kind != nethtml.SelfClosingTagToken {
				continue
			}
			if !strings.HasPrefix(token.Data, "m") && token.Data != "semantics" && token.Data != "annotation" {
				t.Fatalf("%q made the element %s", tex, token.Data)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Key, "href") || strings.Contains(a.Key, "src") {
					t.Fatalf("%q made the attribute %s", tex, a.Key)
				}
			}
		}
	})
}

func TestALongTextIsAllThereInABoxThatScrolls(t *testing.T) {
	if got := printed("q-stream", strings.Repeat("line\n", 3000)); !strings.HasPrefix(got, `<pre class="q-stream q-long" tabindex="0">`) || strings.Count(got, "line") != 3000 {
		t.Errorf("got %.80q", got)
	}
	if got := printed("q-stream", "one\n"); strings.Contains(got, "q-long") {
		t.Errorf("got %q", got)
	}
}
