package sqlcell

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
)

// view is what is known at a place of a source: the statement around it and the relations of its connection.
type view struct {
	statement string
	relations []relation
	named     []relation          // by the statement
	aliases   map[string]relation // by lower case
}

// look returns the view of a place; the offset is that of the cursor. A connection that is not open is not opened.
func (e *Engine) look(ctx context.Context, at lang.Place) (v view, cursor int, db database) {
	cursor = offsetOf(at)
	q, f := parse(at.Source)
	if f != nil || cursor < 0 {
		return v, cursor, nil
	}
	for _, part := range statements(q.source, scan(q.source)) {
		if part[0] <= cursor && cursor <= part[1] {
			v.statement = q.source[part[0]:part[1]]
			break
		}
	}
	if db = e.databases[cmp.Or(q.connection, e.main())]; db == nil {
		return v, cursor, nil
	}
	v.relations, _ = db.relations(ctx) // without them there are keywords
	v.find()
	return v, cursor, db
}

// offsetOf returns the offset in bytes of a place, -1 if it is not in its source.
func offsetOf(at lang.Place) int {
	units := at.Cursor
	for i, r := range at.Source {
		if units <= 0 {
			if units < 0 {
				return -1
			}
			return i
		}
		units -= utf16.RuneLen(r)
	}
	if units != 0 {
		return -1
	}
	return len(at.Source)
}

// find finds the relations that the statement names, and their aliases: the name behind one, with or without AS.
func (v *view) find() {
	v.aliases = map[string]relation{}
	var words []string
	for _, t := range scan(v.statement) {
		switch t.kind {
		case tokenSpace:
		case tokenWord, tokenQuoted:
			words = append(words, strings.Trim(v.statement[t.start:t.end], "\"`"))
		default:
			words = append(words, "")
		}
	}
	for i, word := range words {
		for _, r := range v.relations {
			if word == "" || !strings.EqualFold(r.name, word) {
				continue
			}
			v.named = append(v.named, r)
			v.aliases[strings.ToLower(word)] = r
			next := i + 1
			if next < len(words) && strings.EqualFold(words[next], "as") {
				next++
			}
			if next < len(words) && words[next] != "" && !isKeyword(words[next]) {
				v.aliases[strings.ToLower(words[next])] = r
			}
		}
	}
}

// Complete implements [lang.Completer]: columns, tables, views and keywords.
func (e *Engine) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	release, err := e.claim()
	if err != nil {
		return lang.Completion{}, err
	}
	defer release()
	v, cursor, _ := e.look(ctx, at)
	if cursor < 0 {
		return lang.Completion{Start: at.Cursor, End: at.Cursor}, nil
	}
	start := wordStart(at.Source, cursor)
	prefix := at.Source[start:cursor]
	c := lang.Completion{Start: at.Cursor - units(prefix), End: at.Cursor}
	before := at.Source[:start]
	if before != "" && strings.ContainsAny(before[len(before)-1:], ":@$") && !strings.HasSuffix(before, "::") {
		c.Items = e.parameterNames()
	} else if qualified, ok := strings.CutSuffix(before, "."); ok {
		c.Items = v.members(strings.ToLower(qualified[wordStart(qualified, len(qualified)):]))
	} else {
		c.Items = v.names()
	}
	c.Items = matching(c.Items, prefix)
	return c, nil
}

// parameterNames returns the parameters that are set, sorted.
func (e *Engine) parameterNames() []lang.Candidate {
	var list []lang.Candidate
	for _, name := range slices.Sorted(maps.Keys(e.params)) {
		list = append(list, lang.Candidate{Text: name, Kind: "parameter", Type: cutText(string(e.params[name]))})
	}
	return list
}

// members returns what may stand behind a name and a dot.
func (v *view) members(name string) []lang.Candidate {
	if r, ok := v.aliases[name]; ok {
		return columnsOf(r)
	}
	var list []lang.Candidate
	for _, r := range v.relations {
		if strings.EqualFold(r.schema, name) {
			list = append(list, lang.Candidate{Text: nameInStatement(r.name), Kind: r.kind()})
		} else if strings.EqualFold(r.name, name) {
			list = append(list, columnsOf(r)...)
		}
	}
	return list
}

// names returns what may stand alone, the best first.
func (v *view) names() []lang.Candidate {
	var list []lang.Candidate
	for _, r := range v.named {
		list = append(list, columnsOf(r)...)
	}
	for _, r := range v.relations {
		list = append(list, lang.Candidate{Text: nameInStatement(r.name), Kind: r.kind(), Type: r.schema})
	}
	for _, word := range strings.Fields(keywords) {
		list = append(list, lang.Candidate{Text: word, Kind: "keyword"})
	}
	return list
}

func columnsOf(r relation) []lang.Candidate {
	list := make([]lang.Candidate, len(r.columns))
	for i, c := range r.columns {
		list[i] = lang.Candidate{Text: nameInStatement(c.name), Kind: "column", Type: c.declared}
	}
	return list
}

// nameInStatement quotes a name that needs it.
func nameInStatement(name string) string {
	if name != "" && wordLength(name) == len(name) && !isKeyword(name) && name == strings.ToLower(name) {
		return name
	}
	if name != "" && wordLength(name) == len(name) && !isKeyword(name) && strings.ToUpper(name) == name {
		return name
	}
	return quoteName(name)
}

// matching returns the candidates that begin with a prefix in any case, each once. A keyword is in lower case where the
// prefix is.
func matching(list []lang.Candidate, prefix string) []lang.Candidate {
	var found []lang.Candidate
	seen := map[string]bool{}
	for _, c := range list {
		if c.Kind == "keyword" && prefix == "" {
			continue
		}
		if c.Kind == "keyword" && prefix == strings.ToLower(prefix) {
			c.Text = strings.ToLower(c.Text)
		}
		bare := strings.TrimPrefix(c.Text, `"`)
		if len(bare) < len(prefix) || !strings.EqualFold(bare[:len(prefix)], prefix) || seen[c.Text] {
			continue
		}
		seen[c.Text] = true
		found = append(found, c)
	}
	return found
}

// wordStart returns the offset at which the word before an offset begins.
func wordStart(source string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(source[:at])
		if !isWord(r, false) {
			break
		}
		at -= size
	}
	return at
}

func units(text string) int { return len(utf16.Encode([]rune(text))) }

// Inspect implements [lang.Inspector]: a table or a view with its columns, or a column.
func (e *Engine) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	release, err := e.claim()
	if err != nil {
		return lang.Inspection{}, err
	}
	defer release()
	v, cursor, db := e.look(ctx, at)
	if db == nil {
		return lang.Inspection{}, nil
	}
	start := wordStart(at.Source, cursor)
	name := at.Source[start : cursor+wordTail(at.Source[cursor:])]
	if name == "" {
		return lang.Inspection{}, nil
	}
	if r, ok := v.relation(name); ok {
		text := r.signature()
		if r.comment != "" {
			text += "\n\n" + r.comment
		}
		if lite, ok := db.(*sqliteDB); ok {
			if made := lite.definition(ctx, r); made != "" {
				text = made
			}
		}
		return inspection(r.signature(), text), nil
	}
	for _, r := range v.named {
		for _, c := range r.columns {
			if strings.EqualFold(c.name, name) {
				line := strings.TrimSpace(r.title() + "." + c.name + " " + c.declared)
				return inspection(line, line), nil
			}
		}
	}
	return lang.Inspection{}, nil
}

func (v *view) relation(name string) (relation, bool) {
	if r, ok := v.aliases[strings.ToLower(name)]; ok {
		return r, true
	}
	for _, r := range v.relations {
		if strings.EqualFold(r.name, name) {
			return r, true
		}
	}
	return relation{}, false
}

func inspection(signature, text string) lang.Inspection {
	return lang.Inspection{Found: true, Signature: signature, Data: lang.Text("text/plain", text).Data}
}

// wordTail returns the length of the part of a word that begins at a text.
func wordTail(text string) int {
	for i, r := range text {
		if !isWord(r, false) {
			return i
		}
	}
	return len(text)
}

// keywords are those that cells have often, in either dialect.
const keywords = `ADD ALL ALTER ANALYZE AND AS ASC ATTACH BEGIN BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT
CONSTRAINT COPY CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DELETE DESC DETACH DISTINCT DO DROP ELSE END ESCAPE EXCEPT
EXISTS EXPLAIN FALSE FETCH FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL FUNCTION GENERATED GLOB GRANT GROUP HAVING IF ILIKE IN INDEX INNER INSERT
INTERSECT INTERVAL INTO IS JOIN KEY LAST LATERAL LEFT LIKE LIMIT MATERIALIZED MERGE NATURAL NOT NOTHING NULL NULLS OFFSET ON OR ORDER OUTER OVER
PARTITION PRAGMA PRECEDING PRIMARY RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RETURNING REVOKE RIGHT ROLLBACK ROW ROWS
SAVEPOINT SCHEMA SELECT SEQUENCE SET SHOW TABLE TEMP TEMPORARY THEN TO TRANSACTION TRIGGER TRUE TRUNCATE UNBOUNDED UNION UNIQUE UPDATE USING VACUUM
VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT`

func isKeyword(word string) bool {
	for _, k := range strings.Fields(keywords) {
		if strings.EqualFold(k, word) {
			return true
		}
	}
	return false
}

// definition returns the statement that made a relation, "" if there is none.
func (d *sqliteDB) definition(ctx context.Context, r relation) string {
	defer d.stopWith(ctx)()
	schema := r.schema
	if schema == "" {
		schema = "main"
	}
	t, f := d.rows(fmt.Sprintf("SELECT sql FROM %s.sqlite_schema WHERE name = :name", quoteName(schema)),
		parameters{"name": jsonText(r.name)}, bounds{rows: 1, text: 16 << 10, total: 16 << 10})
	if f != nil || len(t.rows) == 0 {
		return ""
	}
	return t.rows[0][0].text
}
