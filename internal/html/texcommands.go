package html

import (
	"html"
	"strings"
)

// letters are the commands for single letters.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "varpi": "ϖ", "rho": "ρ",
	"varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ",
	"omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
	"Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "infty": "∞", "partial": "∂", "nabla": "∇", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ",
	"aleph": "ℵ", "emptyset": "∅", "varnothing": "∅", "imath": "ı", "jmath": "ȷ", "wp": "℘", "angle": "∠", "degree": "°", "top": "⊤",
	"bot": "⊥", "%": "%", "$": "$", "#": "#", "&": "&amp;", "_": "_", "ldots": "…", "dots": "…", "dotsc": "…", "cdots": "⋯",
	"dotsb": "⋯", "vdots": "⋮", "ddots": "⋱", "square": "□", "Box": "□", "blacksquare": "■", "triangle": "△",
}

// operators are the commands for single signs.
var operators = map[string]string{
	"times": "×", "cdot": "⋅", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘", "bullet": "∙", "oplus": "⊕",
	"ominus": "⊖", "otimes": "⊗", "odot": "⊙", "wedge": "∧", "land": "∧", "vee": "∨", "lor": "∨", "cap": "∩", "cup": "∪",
	"setminus": "∖", "backslash": "\\", "neg": "¬", "lnot": "¬", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "ll": "≪", "gg": "≫",
	"leqslant": "⩽", "geqslant": "⩾", "lt": "<", "gt": ">", "approx": "≈", "sim": "∼", "simeq": "≃", "cong": "≅", "equiv": "≡", "propto": "∝", "in": "∈",
	"notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃", "subseteq": "⊆", "supseteq": "⊇", "perp": "⊥", "parallel": "∥",
	"mid": "∣", "prec": "≺", "succ": "≻", "vdash": "⊢", "models": "⊨", "forall": "∀", "exists": "∃", "nexists": "∄", "therefore": "∴", "because": "∵",
	"to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐",
	"Leftrightarrow": "⇔", "iff": "⟺", "implies": "⟹", "mapsto": "↦", "longrightarrow": "⟶", "Longrightarrow": "⟹", "hookrightarrow": "↪",
	"uparrow": "↑", "downarrow": "↓", "nearrow": "↗", "searrow": "↘", "rightharpoonup": "⇀", "rightleftharpoons": "⇌",
	"langle": "⟨", "rangle": "⟩", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lbrace": "{", "rbrace": "}", "{": "{", "}": "}",
	"|": "‖", "vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "lbrack": "[", "rbrack": "]", "colon": ":", "coloneqq": "≔", "triangleq": "≜", "doteq": "≐", "asymp": "≍",
	"dagger": "†", "ddagger": "‡", "prime": "′", "bmod": "mod", "mod": "mod", "dim": "dim",
}

// largeOperators have their limits below and above them in display mode.
var largeOperators = map[string]string{
	"sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬", "iiint": "∭", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂",
	"bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁", "bigwedge": "⋀",
}

const (
	functions      = " sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp deg ker hom arg "
	limitFunctions = " lim max min sup inf det gcd Pr argmax argmin limsup liminf "
)

// spaces are the commands for spaces, or for nothing.
var spaces = map[string]string{
	",": "0.17em", ":": "0.22em", ">": "0.22em", ";": "0.28em", " ": "0.33em", "quad": "1em", "qquad": "2em", "!": "-0.17em", "thinspace": "0.17em",
	"displaystyle": "", "textstyle": "", "scriptstyle": "", "limits": "", "nolimits": "", "nonumber": "", "notag": "", "mathstrut": "", "hline": "",
}

var accents = map[string]string{
	"hat": "^", "widehat": "^", "bar": "¯", "overline": "¯", "vec": "→", "overrightarrow": "→", "tilde": "~", "widetilde": "~", "dot": "˙", "ddot": "¨",
	"check": "ˇ", "breve": "˘", "acute": "´", "grave": "`", "mathring": "˚",
}

// alphabet is the range of a style's letters in Unicode, with the exceptions.
type alphabet struct {
	upper, lower, digit rune
	others              string // pairs of a letter and its sign
}

var alphabets = map[string]alphabet{
	"mathbf": {0x1D400, 0x1D41A, 0x1D7CE, ""}, "boldsymbol": {0x1D468, 0x1D482, 0x1D7CE, ""}, "bm": {0x1D468, 0x1D482, 0x1D7CE, ""},
	"mathbb":   {0x1D538, 0x1D552, 0x1D7D8, "CℂHℍNℕPℙQℚRℝZℤ"},
	"mathcal":  {0x1D49C, 0x1D4B6, 0, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"},
	"mathscr":  {0x1D49C, 0x1D4B6, 0, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"},
	"mathfrak": {0x1D504, 0x1D51E, 0, "CℭHℌIℑRℜZℨ"},
	"mathsf":   {0x1D5A0, 0x1D5BA, 0x1D7E2, ""}, "mathtt": {0x1D670, 0x1D68A, 0x1D7F6, ""}, "mathit": {'A', 'a', '0', ""},
}

// boldGreek is the first bold slanted letter, alpha.
const boldGreek = 0x1D736

// inAlphabet parses a group of letters in a style.
func (p *tex2ml) inAlphabet(a alphabet) string {
	p.space()
	if p.at < len(p.s) && p.s[p.at] != '{' {
		if p.s[p.at] == '\\' {
			return a.sign(p.name(), p)
		}
		c := p.s[p.at]
		p.at++
		return "<mi>" + a.letters(string(c)) + "</mi>"
	}
	words := strings.TrimSpace(p.words())
	if name, ok := strings.CutPrefix(words, `\`); ok && !strings.ContainsAny(name, `\{} _^`) {
		return a.sign(name, p)
	}
	if strings.ContainsAny(words, `\{}_^&`) {
		p.failed = true
	}
	return "<mi>" + html.EscapeString(a.letters(words)) + "</mi>"
}

// sign returns a Greek letter, bold in a bold style.
func (a alphabet) sign(name string, p *tex2ml) string {
	s, ok := letters[name]
	if !ok {
		p.failed = true
	}
	if r := []rune(s); len(r) == 1 && r[0] >= 'α' && r[0] <= 'ω' && a.upper == 0x1D468 {
		s = string(boldGreek + r[0] - 'α')
	}
	return "<mi>" + s + "</mi>"
}

func (a alphabet) letters(s string) string {
	return strings.Map(func(r rune) rune {
		others := []rune(a.others)
		for i := 0; i+1 < len(others); i += 2 {
			if others[i] == r {
				return others[i+1]
			}
		}
		switch {
		case 'A' <= r && r <= 'Z':
			return a.upper + r - 'A'
		case 'a' <= r && r <= 'z':
			return a.lower + r - 'a'
		case '0' <= r && r <= '9' && a.digit != 0:
			return a.digit + r - '0'
		}
		return r
	}, s)
}

// environment is the layout of a table.
type environment struct {
	open, close string
	align       string // of its columns, repeated: r, l or c
}

var environments = map[string]environment{
	"matrix": {align: "c"}, "smallmatrix": {align: "c"}, "pmatrix": {"(", ")", "c"}, "bmatrix": {"[", "]", "c"}, "Bmatrix": {"{", "}", "c"},
	"vmatrix": {"|", "|", "c"}, "Vmatrix": {"‖", "‖", "c"}, "cases": {"{", "", "l"}, "array": {align: "c"},
	"aligned": {align: "rl"}, "align": {align: "rl"}, "split": {align: "rl"}, "alignat": {align: "rl"}, "alignedat": {align: "rl"}, "eqnarray": {align: "rcl"},
	"equation": {align: "c"}, "gather": {align: "c"}, "gathered": {align: "c"}, "multline": {align: "c"},
}

// style returns the attribute of a cell in a column. Columns aligned at signs have no space between
// them.
func (e environment) style(column int) string {
	side := map[byte]string{'r': "right", 'l': "left", 'c': "center"}[e.align[column%len(e.align)]]
	if e.align == "rl" {
		return ` style="text-align:` + side + `;padding-left:0;padding-right:0"`
	}
	return ` style="text-align:` + side + `"`
}

func (e environment) attributes() string {
	if e.align == "rl" {
		return ` displaystyle="true"`
	}
	return ""
}
