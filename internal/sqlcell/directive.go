package sqlcell

import (
	"encoding/json"
	"fmt"
	"strings"
)

// query is a cell: its statements and what its directives say.
type query struct {
	source     string   // with the same offsets as the source of the cell
	connection string   // the name, "" for the database in memory
	results    []string // keep the rows of the result
	csv        bool
	sets       parameters // by directives
	params     parameters // all
	lender     lender
}

const (
	magic    = "%%sql"
	badMagic = magic + " has one connection, and -i and -o with names: write the statements below it"
)

// parse reads the directives at the top of a cell.
func parse(source string) (query, *fault) {
	q := query{source: source, sets: parameters{}}
	if rest, ok := strings.CutPrefix(source, magic); ok && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0]))) {
		if f := q.magicLine(strings.Fields(rest[:lineLength(rest)])); f != nil {
			return q, f
		}
		q.source = "--sql" + rest // a comment of the same length
	}
	for at := 0; at < len(q.source); {
		t := next(q.source, at)
		if t.kind != tokenSpace {
			break
		}
		if text, ok := strings.CutPrefix(q.source[t.start:t.end], "--"); ok {
			if f := q.direct(strings.TrimSpace(text), t.start); f != nil {
				return q, f
			}
		}
		at = t.end
	}
	return q, nil
}

// magicLine reads the arguments of the magic: a connection, and options that name values. Those of -i have been passed, and
// those of -o are passed on.
func (q *query) magicLine(words []string) *fault {
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		q.connection, words = words[0], words[1:]
		if f := checkConnection(q.connection, len(magic)); f != nil {
			return f
		}
	}
	for ; len(words) >= 2; words = words[2:] {
		switch words[0] {
		case "-i", "--input":
		case "-o", "--output":
			q.results = append(q.results, strings.Split(words[1], ",")...)
		default:
			return &fault{name: "DirectiveError", at: len(magic), message: badMagic}
		}
	}
	if len(words) > 0 {
		return &fault{name: "DirectiveError", at: len(magic), message: badMagic}
	}
	return nil
}

// direct follows a comment if it is a directive.
func (q *query) direct(text string, at int) *fault {
	if text == "csv" {
		q.csv = true
		return nil
	}
	key, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	if !ok {
		return nil
	}
	switch key {
	case "connection":
		q.connection = value
		if value == "" {
			return &fault{name: "DirectiveError", at: at, message: "a connection has a name: memory, a file such as sales.db, or one of `quire connection ls`"}
		}
		return checkConnection(value, at)
	case "result":
		if wordLength(value) != len(value) || value == "" {
			return &fault{name: "DirectiveError", at: at, message: fmt.Sprintf("%q is no name for a result: want letters, digits and _", value)}
		}
		q.results = append(q.results, value)
	case "param":
		name, raw, ok := strings.Cut(value, "=")
		name, raw = strings.TrimSpace(name), strings.TrimSpace(raw)
		if !ok || wordLength(name) != len(name) || name == "" || !json.Valid([]byte(raw)) {
			return &fault{name: "DirectiveError", at: at, message: `a parameter is a name and a value as JSON, such as -- param: city = "Oslo"`}
		}
		q.sets[name] = json.RawMessage(raw)
	}
	return nil
}

// checkConnection refuses a URL: the log would keep its password.
func checkConnection(name string, at int) *fault {
	if strings.Contains(name, "://") {
		return &fault{name: "DirectiveError", at: at, message: "a URL is a secret and no part of a notebook: store it by `quire connection add NAME`, and write the name here"}
	}
	return nil
}
