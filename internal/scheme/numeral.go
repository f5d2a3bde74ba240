package scheme

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// numeral is the reading of one number: its radix, and the exactness that a prefix asks for.
type numeral struct {
	radix   int
	exact   bool // #e
	inexact bool // #i
	err     error
}

// parseNumber reads a number in the syntax of R7RS. It reports false for a text that is no number. An error says that
// it is one that cannot be represented.
func parseNumber(text string, radix int) (Value, bool, error) {
	n := numeral{radix: radix}
	text, ok := n.prefixes(text)
	if !ok || text == "" || !strings.ContainsAny(text[:1], "+-.0123456789abcdefABCDEF") {
		return nil, false, nil
	}
	v, ok := n.complex(text)
	if n.err != nil {
		return nil, false, n.err
	}
	return v, ok, nil
}

// prefixes takes at most one prefix of a radix and one of exactness.
func (n *numeral) prefixes(text string) (rest string, ok bool) {
	for radix := false; len(text) >= 2 && text[0] == '#'; text = text[2:] {
		switch c := text[1] | 0x20; c {
		case 'e', 'i':
			if n.exact || n.inexact {
				return "", false
			}
			n.exact, n.inexact = c == 'e', c == 'i'
		case 'x', 'd', 'o', 'b':
			if radix {
				return "", false
			}
			radix, n.radix = true, map[byte]int{'x': 16, 'd': 10, 'o': 8, 'b': 2}[c]
		default:
			return "", false
		}
	}
	return text, true
}

func (n *numeral) complex(text string) (Value, bool) {
	if v, ok := n.real(text); ok || n.err != nil {
		return v, ok
	}
	if length, angle, polar := strings.Cut(text, "@"); polar {
		l, ok := n.real(length)
		a, ok2 := n.real(angle)
		if !ok || !ok2 {
			return nil, false
		}
		return makePolar(l, a), true
	}
	last := len(text) - 1
	if text[last] != 'i' && text[last] != 'I' {
		return nil, false
	}
	for k := last - 1; k >= 0; k-- {
		if text[k] != '+' && text[k] != '-' {
			continue
		}
		if v, ok := n.rectangular(text[:k], text[k:last]); ok {
			return v, true
		}
	}
	return nil, false
}

func (n *numeral) rectangular(re, im string) (Value, bool) {
	if len(im) == 1 {
		im += "1"
	}
	y, ok := n.real(im)
	if !ok {
		return nil, false
	}
	if re == "" {
		return makeRectangular(int64(0), y), true
	}
	x, ok := n.real(re)
	if !ok {
		return nil, false
	}
	return makeRectangular(x, y), true
}

func (n *numeral) real(text string) (Value, bool) {
	if len(text) == 6 && (text[0] == '+' || text[0] == '-') {
		if v, ok := n.special(text); ok {
			return v, true
		}
	}
	digits := strings.TrimPrefix(text, "+")
	if digits == text {
		digits = strings.TrimPrefix(text, "-")
	}
	negative := text != "" && text[0] == '-'
	if digits == "" {
		return nil, false
	}
	if over, under, ok := strings.Cut(digits, "/"); ok {
		return n.ratio(over, under, negative)
	}
	if v, ok := n.integer(digits, negative); ok {
		if n.inexact && v == Value(int64(0)) && negative {
			return math.Copysign(0, -1), true
		}
		return n.finish(v), true
	}
	if n.radix != 10 {
		return nil, false
	}
	return n.decimal(digits, negative)
}

// special reads infinities and the NaN.
func (n *numeral) special(text string) (Value, bool) {
	var v float64
	switch strings.ToLower(text) {
	case "+inf.0":
		v = math.Inf(1)
	case "-inf.0":
		v = math.Inf(-1)
	case "+nan.0", "-nan.0":
		v = math.NaN()
	default:
		return nil, false
	}
	if n.exact {
		n.err = errors.New(text + " has no exact value")
	}
	return v, true
}

func (n *numeral) integer(digits string, negative bool) (Value, bool) {
	if !areDigits(digits, n.radix) {
		return nil, false
	}
	if len(digits) <= 15 {
		v, err := strconv.ParseInt(digits, n.radix, 64)
		if err != nil {
			return nil, false
		}
		if negative {
			v = -v
		}
		return v, true
	}
	if len(digits) > maxBits/4 {
		n.err = errors.New("the number has too many digits")
		return nil, false
	}
	v, ok := new(big.Int).SetString(digits, n.radix)
	if !ok {
		return nil, false
	}
	if negative {
		v.Neg(v)
	}
	return fromBig(v), true
}

func areDigits(text string, radix int) bool {
	for _, c := range []byte(text) {
		d := 99
		switch {
		case '0' <= c && c <= '9':
			d = int(c - '0')
		case 'a' <= c && c <= 'z':
			d = int(c-'a') + 10
		case 'A' <= c && c <= 'Z':
			d = int(c-'A') + 10
		}
		if d >= radix {
			return false
		}
	}
	return text != ""
}

func (n *numeral) ratio(over, under string, negative bool) (Value, bool) {
	x, ok := n.integer(over, negative)
	y, ok2 := n.integer(under, false)
	if !ok || !ok2 {
		return nil, false
	}
	if y == Value(int64(0)) {
		n.err = errors.New("the denominator of " + over + "/" + under + " is zero")
		return nil, false
	}
	return n.finish(fromRat(new(big.Rat).SetFrac(toBig(x), toBig(y)))), true
}

func (n *numeral) finish(v Value) Value {
	if n.inexact {
		return toFloat(v)
	}
	return v
}

// decimal reads digits with a point or an exponent, whose marker is any letter that R7RS or R5RS allows.
func (n *numeral) decimal(digits string, negative bool) (Value, bool) {
	mantissa, exponent := digits, ""
	if k := strings.IndexAny(digits, "eEsSfFdDlL"); k >= 0 {
		mantissa, exponent = digits[:k], digits[k+1:]
		unsigned := strings.TrimLeft(exponent, "+-")
		if len(exponent)-len(unsigned) > 1 || !areDigits(unsigned, 10) {
			return nil, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !areDigits(whole+fraction, 10) {
		return nil, false
	}
	text := mantissa
	if exponent != "" {
		text += "e" + exponent
	}
	if negative {
		text = "-" + text
	}
	if n.exact {
		return n.exactDecimal(text, exponent)
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

func (n *numeral) exactDecimal(text, exponent string) (Value, bool) {
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e > maxBits/4 || e < -maxBits/4) || len(text) > maxBits/4 {
		n.err = errors.New(text + " is too large for an exact number")
		return nil, false
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, false
	}
	return fromRat(v), true
}

// formatNumber writes a number as the reader reads it.
func formatNumber(v Value, radix int) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, radix)
	case *big.Int:
		return v.Text(radix)
	case *big.Rat:
		return v.Num().Text(radix) + "/" + v.Denom().Text(radix)
	case float64:
		return formatFloat(v, radix)
	case *compnum:
		re, im := formatNumber(v.re, radix), formatNumber(v.im, radix)
		if v.re == Value(int64(0)) {
			re = ""
		}
		if im[0] != '+' && im[0] != '-' {
			im = "+" + im
		}
		if isExact(v) && (im == "+1" || im == "-1") {
			im = im[:1]
		}
		return re + im + "i"
	}
	return ""
}

// formatFloat writes the shortest decimals that read as the same float, with a point always.
func formatFloat(f float64, radix int) string {
	switch {
	case math.IsNaN(f):
		return "+nan.0"
	case math.IsInf(f, 1):
		return "+inf.0"
	case math.IsInf(f, -1):
		return "-inf.0"
	}
	if radix != 10 {
		return formatRadix(f, radix)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	text := strconv.FormatFloat(f, format, -1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if ok {
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return mantissa
}

// formatRadix writes the exact digits of a float in a radix; they end, since the reader takes even radices alone.
func formatRadix(f float64, radix int) string {
	var b strings.Builder
	if math.Signbit(f) {
		b.WriteByte('-')
	}
	whole, _ := new(big.Float).SetFloat64(math.Abs(f)).Int(nil)
	b.WriteString(whole.Text(radix))
	b.WriteByte('.')
	rest := math.Abs(f) - math.Trunc(math.Abs(f))
	if rest == 0 {
		b.WriteByte('0')
	}
	for n := 0; rest != 0 && n < 1100; n++ {
		rest *= float64(radix)
		digit := math.Trunc(rest)
		b.WriteString(strconv.FormatInt(int64(digit), radix))
		rest -= digit
	}
	return b.String()
}
