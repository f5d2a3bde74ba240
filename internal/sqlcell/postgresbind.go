package sqlcell

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// runBound executes statements with bound parameters, in a pipeline: as a cell without, it is one transaction. It returns
// how many went well.
func (d *postgresDB) runBound(ctx context.Context, q query, parts [][2]int, out *output) (done int, f *fault) {
	p := d.conn.StartPipeline(ctx)
	sent := make([]bound, len(parts))
	for i, part := range parts {
		sent[i] = bindNumbers(q.source[part[0]:part[1]], part[0], q.params)
		p.SendQueryParams(sent[i].source, sent[i].values, nil, nil, nil)
	}
	err := p.Sync()
	for err == nil && done < len(parts) {
		var results any
		if results, err = p.GetResults(); err != nil {
			break
		}
		if rows, ok := results.(*pgconn.ResultReader); ok {
			err = d.show(rows, out)
		}
		if err == nil {
			done++
		}
	}
	b := sent[min(done, len(sent)-1)]
	f = d.failure(errors.Join(err, p.Close()), b.source)
	if f != nil && f.at >= 0 {
		f.at = b.offset(f.at)
	}
	return done, f
}

// bound is a statement with its parameters numbered, as PostgreSQL takes them.
type bound struct {
	source string
	values [][]byte // as text, nil for null
	cuts   []cut
}

// cut says that the text from an offset in the bound source on stands at another in the source.
type cut struct{ bound, source int }

// bindNumbers replaces the parameters that are set by numbers, and leaves all other text. Offset is that of the statement
// in the cell.
func bindNumbers(statement string, offset int, params parameters) bound {
	b := bound{cuts: []cut{{0, offset}}}
	numbers := map[string]string{}
	var out strings.Builder
	at := 0
	for _, t := range scan(statement) {
		name := strings.TrimPrefix(statement[t.start:t.end], ":")
		raw, set := params[name]
		if t.kind != tokenPlace || !set {
			continue
		}
		out.WriteString(statement[at:t.start])
		number, ok := numbers[name]
		if !ok {
			b.values = append(b.values, postgresValue(raw))
			number = "$" + strconv.Itoa(len(b.values))
			numbers[name] = number
		}
		b.cuts = append(b.cuts, cut{out.Len(), offset + t.start})
		out.WriteString(number)
		at = t.end
		b.cuts = append(b.cuts, cut{out.Len(), offset + at})
	}
	out.WriteString(statement[at:])
	b.source = out.String()
	return b
}

// offset returns the offset in the cell of one in the bound source.
func (b bound) offset(at int) int {
	last := b.cuts[0]
	for i, c := range b.cuts {
		if c.bound > at {
			return min(last.source+at-last.bound, b.cuts[i].source)
		}
		last = c
	}
	return last.source + at - last.bound
}

// postgresValue returns a value of JSON in PostgreSQL's text form: a list is an array, and an object JSON.
func postgresValue(raw json.RawMessage) []byte {
	switch v := decodeValue(raw).(type) {
	case nil:
		return nil
	case string:
		return []byte(v)
	case []any:
		return []byte(arrayText(v))
	}
	return raw
}

// arrayText writes a list as an array of PostgreSQL.
func arrayText(list []any) string {
	parts := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case nil:
			parts[i] = "NULL"
		case []any:
			parts[i] = arrayText(v)
		case string:
			parts[i] = quoteElement(v)
		default:
			raw, _ := json.Marshal(v) // a decoded value marshals
			parts[i] = quoteElement(string(raw))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quoteElement(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
