package sqlcell

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// kind is the type of a value as it is shown.
type kind int

const (
	kindNull kind = iota
	kindInteger
	kindNumber // a decimal or a floating-point number
	kindBool
	kindText
	kindBlob // the text is hexadecimal
	kindJSON
	kindArray // the text is an array of PostgreSQL
	kindDate
	kindTime
	kindDateTime // with or without a zone
)

// cell is one value of a table: its text as the database writes it, which may be the beginning only.
type cell struct {
	kind kind
	text string
	size int // of the whole value in bytes, for texts and blobs
	cut  bool
}

// textCell returns a value of text, given its first bytes and its size.
func textCell(k kind, start []byte, size int) cell {
	cut := len(start) < size
	if cut { // not within a character
		for n := 1; n <= utf8.UTFMax && n <= len(start); n++ {
			if b := start[len(start)-n]; utf8.RuneStart(b) {
				if !utf8.FullRune(start[len(start)-n:]) {
					start = start[:len(start)-n]
				}
				break
			}
		}
	}
	return cell{kind: k, text: strings.ToValidUTF8(string(start), "\uFFFD"), size: size, cut: cut}
}

// isSafe reports whether an integer is the same in JavaScript.
func isSafe(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n <= 1<<53-1 && n >= -(1<<53-1)
}

// isExact reports whether a decimal is what the nearest float64 is written as, trailing zeros aside.
func isExact(text string, v float64) bool {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return false
	}
	return plainDecimal(text) == plainDecimal(strconv.FormatFloat(v, 'f', -1, 64))
}

// plainDecimal drops the zeros at the end of a decimal.
func plainDecimal(text string) string {
	if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && !strings.HasSuffix(text, ".") && !strings.ContainsAny(text, "xX_pP")
}

// declaredAs returns the value with the kind that its column was declared with, where a database has no such type and the
// value has its form.
func (c cell) declaredAs(declared string) cell {
	switch strings.ToUpper(declared) {
	case "BOOLEAN", "BOOL":
		if c.kind == kindInteger && (c.text == "0" || c.text == "1") {
			return cell{kind: kindBool, text: strconv.FormatBool(c.text == "1")}
		}
	case "DATE":
		return c.as(kindDate, time.DateOnly)
	case "TIME":
		return c.as(kindTime, "15:04:05", "15:04")
	case "DATETIME", "TIMESTAMP":
		return c.as(kindDateTime, time.DateOnly, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339)
	}
	return c
}

// as returns a text as one of another kind, if it has one of its forms.
func (c cell) as(k kind, layouts ...string) cell {
	if c.kind != kindText || c.cut {
		return c
	}
	for _, layout := range layouts {
		if _, err := time.Parse(layout, c.text); err == nil {
			c.kind = k
			return c
		}
	}
	return c
}
