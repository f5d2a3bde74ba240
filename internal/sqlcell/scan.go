package sqlcell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the kind of a part of a source.
type tokenKind int

const (
	tokenSpace  tokenKind = iota // and comments
	tokenWord                    // a keyword or a name without quotes
	tokenQuoted                  // a name in quotes
	tokenText                    // a string
	tokenNumber                  //
	tokenPlace                   // :name
	tokenSign                    // any other character
)

// token is a part of a source, by offsets in bytes.
type token struct {
	kind       tokenKind
	start, end int
}

// scan splits a source into tokens as PostgreSQL does, without its grammar. What is not closed ends with the source.
func scan(source string) []token {
	var list []token
	for at := 0; at < len(source); {
		t := next(source, at)
		list = append(list, t)
		at = t.end
	}
	return list
}

// next returns the token at an offset.
func next(source string, at int) token {
	rest := source[at:]
	r, size := utf8.DecodeRuneInString(rest)
	take := func(k tokenKind, n int) token { return token{k, at, at + n} }
	switch {
	case unicode.IsSpace(r):
		return take(tokenSpace, size)
	case strings.HasPrefix(rest, "--"):
		return take(tokenSpace, lineLength(rest))
	case strings.HasPrefix(rest, "/*"):
		return take(tokenSpace, commentLength(rest))
	case r == '\'':
		return take(tokenText, quotedLength(rest, '\'', false))
	case r == '"' || r == '`':
		return take(tokenQuoted, quotedLength(rest, byte(r), false))
	case (r == 'e' || r == 'E') && strings.HasPrefix(rest[1:], "'"):
		return take(tokenText, 1+quotedLength(rest[1:], '\'', true))
	case r == '$':
		if n := dollarLength(rest); n > 0 {
			return take(tokenText, n)
		}
	case strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, ":="):
		return take(tokenSign, 2)
	case r == ':' && wordLength(rest[1:]) > 0:
		return take(tokenPlace, 1+wordLength(rest[1:]))
	case '0' <= r && r <= '9':
		return take(tokenNumber, numberLength(rest))
	}
	if n := wordLength(rest); n > 0 {
		return take(tokenWord, n)
	}
	return take(tokenSign, size)
}

func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// commentLength returns the length of a comment, which may have others in it.
func commentLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// quotedLength returns the length of what is in quotes; two of them are one within. A backslash may escape.
func quotedLength(text string, quote byte, escapes bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// dollarLength returns the length of a string in dollar quotes, 0 if there is none.
func dollarLength(text string) int {
	n := 1
	if n < len(text) && (text[n] < '0' || text[n] > '9') {
		n += wordLength(strings.ReplaceAll(text[n:min(len(text), n+63)], "$", " "))
	}
	if n >= len(text) || text[n] != '$' {
		return 0
	}
	tag := text[:n+1]
	if end := strings.Index(text[len(tag):], tag); end >= 0 {
		return 2*len(tag) + end
	}
	return len(text)
}

func numberLength(text string) int {
	n := 0
	for n < len(text) && (text[n] == '.' || text[n] == '_' || '0' <= text[n] && text[n] <= '9' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// wordLength returns the length of a name without quotes, 0 if there is none.
func wordLength(text string) int {
	for i, r := range text {
		if !isWord(r, i == 0) {
			return i
		}
	}
	return len(text)
}

func isWord(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (r == '$' || unicode.IsDigit(r))
}

// leading returns the length of the space and comments before the first statement.
func leading(source string) int {
	at := 0
	for at < len(source) {
		t := next(source, at)
		if t.kind != tokenSpace && source[t.start:t.end] != ";" {
			return at
		}
		at = t.end
	}
	return 0
}

// firstWord returns the first word of a statement in lower case.
func firstWord(source string) string {
	at := leading(source)
	return strings.ToLower(source[at : at+wordLength(source[at:])])
}

// statements returns the offsets of the statements in the tokens of a source: where each begins and ends. The words
// BEGIN ATOMIC … END of a function's body keep its statements together.
func statements(source string, tokens []token) [][2]int {
	var list [][2]int
	start, depth, parens, creates, some := 0, 0, 0, false, false
	previous := ""
	for _, t := range tokens {
		if t.kind == tokenSpace {
			continue
		}
		word := strings.ToLower(source[t.start:t.end])
		switch {
		case t.kind == tokenWord && !some && word == "create":
			creates = true
		case t.kind == tokenWord && creates && (word == "atomic" && previous == "begin" || depth > 0 && word == "case"):
			depth++
		case t.kind == tokenWord && depth > 0 && word == "end":
			depth--
		case word == "(":
			parens++
		case word == ")":
			parens = max(parens-1, 0)
		case word == ";" && depth == 0 && parens == 0:
			if some {
				list = append(list, [2]int{start, t.start})
			}
			start, creates, some, previous = t.end, false, false, ""
			continue
		}
		some, previous = true, word
	}
	if some {
		list = append(list, [2]int{start, len(source)})
	}
	return list
}
