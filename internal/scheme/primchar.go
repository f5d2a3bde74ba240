package scheme

import (
	"strings"
	"sync"
	"unicode"
)

// charPrims are the procedures of characters.
func charPrims() []*prim {
	is := func(name string, f func(rune) bool) *prim {
		return &prim{name: name, min: 1, max: 1, fn: onChar(name, func(c rune) Value { return f(c) })}
	}
	prims := []*prim{
		{name: "char?", min: 1, max: 1, fn: isA[char]},
		is("char-alphabetic?", unicode.IsLetter),
		is("char-numeric?", unicode.IsDigit),
		is("char-whitespace?", unicode.IsSpace),
		is("char-upper-case?", unicode.IsUpper),
		is("char-lower-case?", unicode.IsLower),
		{name: "digit-value", min: 1, max: 1, fn: onChar("digit-value", digitValue)},
		{name: "char->integer", min: 1, max: 1, fn: onChar("char->integer", func(c rune) Value { return int64(c) })},
		{name: "integer->char", min: 1, max: 1, fn: integerToChar},
		{name: "char-upcase", min: 1, max: 1, fn: onChar("char-upcase", func(c rune) Value { return char(unicode.ToUpper(c)) })},
		{name: "char-downcase", min: 1, max: 1, fn: onChar("char-downcase", func(c rune) Value { return char(unicode.ToLower(c)) })},
		{name: "char-foldcase", min: 1, max: 1, fn: onChar("char-foldcase", func(c rune) Value { return char(foldRune(c)) })},
	}
	for _, order := range orders {
		prims = append(
			prims,
			&prim{name: "char" + order.sign + "?", min: 1, max: -1, fn: compareChars("char"+order.sign+"?", order.holds, func(c rune) rune { return c })},
			&prim{name: "char-ci" + order.sign + "?", min: 1, max: -1, fn: compareChars("char-ci"+order.sign+"?", order.holds, foldRune)},
		)
	}
	return prims
}

// orders are the comparisons of characters and of strings.
var orders = [...]struct {
	sign  string
	holds func(order int) bool
}{
	{"=", func(o int) bool { return o == 0 }},
	{"<", func(o int) bool { return o < 0 }},
	{">", func(o int) bool { return o > 0 }},
	{"<=", func(o int) bool { return o <= 0 }},
	{">=", func(o int) bool { return o >= 0 }},
}

func onChar(who string, f func(rune) Value) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		c, ok := a[0].(char)
		if !ok {
			return nil, wrongType(who, 0, "a character", a[0])
		}
		return f(rune(c)), nil
	}
}

// digitValue returns the value of a decimal digit of any script: they come in runs of ten.
func digitValue(c rune) Value {
	if !unicode.IsDigit(c) {
		return false
	}
	for _, r := range unicode.Nd.R16 {
		if uint16(c) >= r.Lo && uint16(c) <= r.Hi && c <= 0xFFFF {
			return int64(uint16(c)-r.Lo) % 10
		}
	}
	for _, r := range unicode.Nd.R32 {
		if uint32(c) >= r.Lo && uint32(c) <= r.Hi {
			return int64(uint32(c)-r.Lo) % 10
		}
	}
	return false
}

func integerToChar(_ *machine, a []Value) (Value, error) {
	n, ok := a[0].(int64)
	if !ok || !isScalar(n) {
		return nil, wrongType("integer->char", 0, "the number of a Unicode character", a[0])
	}
	return char(n), nil
}

func compareChars(who string, holds func(order int) bool, fold func(rune) rune) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		all := true
		var last rune
		for i, v := range a {
			c, ok := v.(char)
			if !ok {
				return nil, wrongType(who, i, "a character", v)
			}
			folded := fold(rune(c))
			if i > 0 {
				all = all && holds(int(last)-int(folded))
			}
			last = folded
		}
		return all, nil
	}
}

// longUppers are the characters whose upper case has several characters, each before it, as SpecialCasing.txt of
// Unicode has them without conditions.
const longUppers = "" +
	"ßSS ŉʼN ǰJ\u030c ΐΙ\u0308\u0301 ΰΥ\u0308\u0301 ևԵՒ ẖH\u0331 ẗT\u0308 ẘW\u030a ẙY\u030a ẚAʾ ὐΥ\u0313 ὒΥ\u0313\u0300 ὔΥ\u0313\u0301 ὖΥ\u0313\u0342 ᾀἈΙ ᾁἉΙ ᾂἊΙ ᾃἋΙ ᾄἌΙ ᾅἍΙ ᾆἎΙ ᾇἏΙ ᾈἈΙ " +
	"ᾉἉΙ ᾊἊΙ ᾋἋΙ ᾌἌΙ ᾍἍΙ ᾎἎΙ ᾏἏΙ ᾐἨΙ ᾑἩΙ ᾒἪΙ ᾓἫΙ ᾔἬΙ ᾕἭΙ ᾖἮΙ ᾗἯΙ ᾘἨΙ ᾙἩΙ ᾚἪΙ ᾛἫΙ ᾜἬΙ ᾝἭΙ ᾞἮΙ ᾟἯΙ ᾠὨΙ ᾡὩΙ " +
	"ᾢὪΙ ᾣὫΙ ᾤὬΙ ᾥὭΙ ᾦὮΙ ᾧὯΙ ᾨὨΙ ᾩὩΙ ᾪὪΙ ᾫὫΙ ᾬὬΙ ᾭὭΙ ᾮὮΙ ᾯὯΙ ᾲᾺΙ ᾳΑΙ ᾴΆΙ ᾶΑ\u0342 ᾷΑ\u0342Ι ᾼΑΙ ῂῊΙ ῃΗΙ ῄΉΙ ῆΗ\u0342 " +
	"ῇΗ\u0342Ι ῌΗΙ ῒΙ\u0308\u0300 ΐΙ\u0308\u0301 ῖΙ\u0342 ῗΙ\u0308\u0342 ῢΥ\u0308\u0300 ΰΥ\u0308\u0301 ῤΡ\u0313 ῦΥ\u0342 ῧΥ\u0308\u0342 ῲῺΙ ῳΩΙ ῴΏΙ ῶΩ\u0342 ῷΩ\u0342Ι ῼΩΙ ﬀFF ﬁFI ﬂFL ﬃFFI ﬄFFL " +
	"ﬅST ﬆST ﬓՄՆ ﬔՄԵ ﬕՄԻ ﬖՎՆ ﬗՄԽ "

// upperTable has the upper cases of longUppers.
var upperTable = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for _, entry := range strings.Fields(longUppers) {
		runes := []rune(entry)
		table[runes[0]] = string(runes[1:])
	}
	return table
})

func upperCase(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return mapRunes(s, func(c rune) string {
		if long, ok := upperTable()[c]; ok {
			return long
		}
		return string(unicode.ToUpper(c))
	})
}

// lowerCase has the final sigma at the end of a word.
func lowerCase(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var b strings.Builder
	for i, c := range runes {
		switch {
		case c == 'Σ' && i > 0 && unicode.IsLetter(runes[i-1]) && (i+1 == len(runes) || !unicode.IsLetter(runes[i+1])):
			b.WriteRune('ς')
		case c == 'İ':
			b.WriteString("i\u0307")
		default:
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

// foldCase returns the full case folding of a text.
func foldCase(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return mapRunes(s, func(c rune) string {
		switch c {
		case 'ẞ':
			return "ss"
		case 'İ':
			return "i\u0307"
		}
		if long, ok := upperTable()[c]; ok {
			return strings.Map(unicode.ToLower, long)
		}
		return string(foldRune(c))
	})
}

// foldRune returns the simple case folding of a character.
func foldRune(c rune) rune {
	if c == 'ı' || c == 'İ' {
		return c
	}
	return unicode.ToLower(unicode.ToUpper(c))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func mapRunes(s string, f func(rune) string) string {
	var b strings.Builder
	for _, c := range s {
		b.WriteString(f(c))
	}
	return b.String()
}
