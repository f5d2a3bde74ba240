package sqlcell

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/quirehq/quire/core/lang"
)

// postgresDB is a connection to a server of PostgreSQL.
type postgresDB struct {
	conn *pgconn.PgConn
	out  *output // of the cell that executes, nil between cells
}

const (
	// connectTime bounds the time to connect.
	connectTime = 15 * time.Second
	// cancelTime is how long a server has to end a statement that it was asked to cancel.
	cancelTime = 5 * time.Second
	// messageBytes bounds one message of a server, such as a row.
	messageBytes = 256 << 20
)

// openPostgres connects to a server. No error has the URL.
func openPostgres(ctx context.Context, name, url string) (database, *fault) {
	cfg, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("the URL of the connection %s cannot be read: want one such as postgres://user:password@host:5432/database", name)}
	}
	d := &postgresDB{}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { d.notice(n) }
	cfg.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		d.write(lang.Stdout, fmt.Sprintf("notification %s: %s\n", n.Channel, n.Payload))
	}
	cfg.MaxProtocolMessageBodyLen = messageBytes
	cfg.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTime}
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "quire"
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if d.conn, err = pgconn.ConnectConfig(ctx, cfg); err != nil {
		text := err.Error()
		if at := strings.Index(text, ": "); at >= 0 && strings.HasPrefix(text, "failed to connect") {
			text = text[at+2:]
		}
		return nil, &fault{name: connectionError, at: -1, message: fmt.Sprintf("connect to %s: %s", name, withoutSecrets(strings.TrimSpace(text), url, cfg.Password))}
	}
	return d, nil
}

// withoutSecrets removes a URL and its password from a text.
func withoutSecrets(text, secret, password string) string {
	parts := []string{secret, password}
	if u, err := url.Parse(secret); err == nil && u.User != nil {
		escaped, _ := u.User.Password()
		parts = append(parts, escaped, url.QueryEscape(escaped), u.User.String())
	}
	for _, part := range parts {
		if part != "" {
			text = strings.ReplaceAll(text, part, "…")
		}
	}
	return text
}

func (d *postgresDB) write(stream, line string) {
	if d.out != nil {
		d.out.write(stream, line)
	}
}

// notice shows a message of the server, such as that of RAISE NOTICE.
func (d *postgresDB) notice(n *pgconn.Notice) {
	line := n.Severity + ": " + n.Message + "\n"
	if n.Detail != "" {
		line += "DETAIL: " + n.Detail + "\n"
	}
	if n.Hint != "" {
		line += "HINT: " + n.Hint + "\n"
	}
	d.write(lang.Stderr, line)
}

// run implements database.
func (d *postgresDB) run(ctx context.Context, q query, out *output) *fault {
	d.out = out
	defer func() { d.out = nil }()
	if at := strings.IndexByte(q.source, 0); at >= 0 {
		return &fault{name: "SyntaxErrorOrAccessRuleViolation", message: "the source has a character of code 0", at: at}
	}
	tokens := scan(q.source)
	parts := statements(q.source, tokens)
	if f := refuseCopy(q.source, parts); f != nil {
		return f
	}
	isBound := func(t token) bool {
		_, set := q.params[strings.TrimPrefix(q.source[t.start:t.end], ":")]
		return t.kind == tokenPlace && set
	}
	before := d.state()
	var done int // statements
	var f *fault
	if slices.ContainsFunc(tokens, isBound) {
		done, f = d.runBound(ctx, q, parts, out)
	} else {
		done, f = d.runSimple(ctx, q.source, out)
	}
	if f == nil {
		return nil
	}
	if f.at < 0 && len(parts) > 0 {
		begin := parts[min(done, len(parts)-1)][0]
		f.line = begin + leading(q.source[begin:])
	}
	if done > 0 && before == stateNone && d.state() == stateNone {
		f.more = append(f.more, "The cell is one transaction: what its statements did before this one, after any COMMIT, has been rolled back.")
	}
	f.explainPlace(q.source, tokens)
	f.explainRelation(ctx, q, tokens)
	return f
}

// explainPlace says how a parameter is set, where the error is at one that is not.
func (f *fault) explainPlace(source string, tokens []token) {
	for _, t := range tokens {
		if t.kind == tokenPlace && t.start == f.at {
			f.more = append(f.more, missingParameter(source[t.start+1:t.end]).message)
		}
	}
}

// explainRelation says what to do with a table of another language, where the error is at its name.
func (f *fault) explainRelation(ctx context.Context, q query, tokens []token) {
	at := slices.IndexFunc(tokens, func(t token) bool { return t.kind == tokenWord && t.start == f.at })
	if at < 0 || !strings.HasSuffix(f.message, "(SQLSTATE "+undefinedTable+")") {
		return
	}
	name := q.source[tokens[at].start:tokens[at].end]
	_, found, note := q.lender.frame(ctx, name)
	if found {
		note = name + " is a table of Python, which PostgreSQL does not see: pass what it needs by -i, such as a list for = any(:ids), or the rows as JSON in a text for json_to_recordset(:rows::json)"
	}
	if note != "" {
		f.more = append(f.more, note)
	}
}

// undefinedTable is the SQLSTATE of a name that no table has.
const undefinedTable = "42P01"

// runSimple executes statements that have no parameters, by the simple protocol: the server takes them apart. It returns
// how many went well.
func (d *postgresDB) runSimple(ctx context.Context, source string, out *output) (done int, f *fault) {
	many := d.conn.Exec(ctx, source)
	for many.NextResult() {
		if err := d.show(many.ResultReader(), out); err != nil {
			break // Close returns it
		}
		done++
	}
	return done, d.failure(many.Close(), source)
}

// refuseCopy refuses COPY between a server and a client: a cell has no data to send, for which the server would wait for
// ever, and no place for what it gets.
func refuseCopy(source string, parts [][2]int) *fault {
	for _, part := range parts {
		statement := source[part[0]:part[1]]
		if firstWord(statement) != "copy" {
			continue
		}
		previous := ""
		for _, t := range scan(statement) {
			f := &fault{name: "FeatureNotSupported", at: part[0] + t.start}
			switch word := strings.ToLower(statement[t.start:t.end]); {
			case t.kind == tokenSpace:
				continue
			case word == "stdin" && previous == "from":
				f.message = "a cell has no data for COPY FROM STDIN: use INSERT, or COPY FROM a file of the server"
				return f
			case word == "stdout" && previous == "to":
				f.message = "a cell does not show the output of COPY TO STDOUT: use SELECT, with the directive -- csv for CSV"
				return f
			default:
				previous = word
			}
		}
	}
	return nil
}

// show shows the rows of a statement, or what it did to rows.
func (d *postgresDB) show(rows *pgconn.ResultReader, out *output) error {
	fields := rows.FieldDescriptions()
	if len(fields) == 0 {
		tag, err := rows.Close()
		if did := doneOf(tag.String()); err == nil && did != "" {
			out.count(did, tag.RowsAffected())
		}
		return err
	}
	t := out.table(postgresColumns(fields))
	for rows.NextRow() {
		t.addPostgres(rows.Values())
	}
	tag, err := rows.Close()
	if err == nil {
		out.end(t)
		if did := doneOf(tag.String()); did != "" {
			out.count(did, tag.RowsAffected())
		}
	}
	return err
}

// state implements database.
func (d *postgresDB) state() state {
	switch d.conn.TxStatus() {
	case 'T':
		return stateOpen
	case 'E':
		return stateFailed
	}
	return stateNone
}

// close implements database.
func (d *postgresDB) close() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	_ = d.conn.Close(ctx) // there is nothing to do about a server that is gone
}
