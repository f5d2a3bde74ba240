package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

// CreateNotebook stores a new notebook with an empty log, and grants its owner that role. It
// returns directory.ErrExists if there is a log with that id, and directory.ErrNotFound if the
// owner is unknown.
func (db *DB) CreateNotebook(ctx context.Context, n directory.Notebook) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		number, err := insertLog(ctx, c, n.ID)
		if err != nil {
			return err
		}
		_, err = c.ExecContext(ctx, `INSERT INTO notebooks (log, id, title, owner, created, updated, deleted, cells)
			VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
			number, n.ID, n.Title, n.Owner, int64(n.Created), int64(max(n.Created, n.Updated)), int64(n.Deleted))
		if err != nil {
			return err
		}
		return insertAccess(ctx, c, directory.Grant{Notebook: n.ID, Person: n.Owner, Role: access.Owner})
	})
	if err != nil {
		return fmt.Errorf("create notebook %s: %w", n.ID, err)
	}
	return nil
}

// Notebook returns a notebook, deleted or not, or directory.ErrNotFound, joined with
// directory.ErrPurged if it was purged.
func (db *DB) Notebook(ctx context.Context, id string) (directory.Notebook, error) {
	n := directory.Notebook{ID: id}
	err := db.read.QueryRowContext(ctx, `SELECT title, owner, created, updated, deleted, cells FROM notebooks WHERE id = ?`, id).
		Scan(&n.Title, &n.Owner, &n.Created, &n.Updated, &n.Deleted, &n.Cells)
	if errors.Is(err, sql.ErrNoRows) {
		if _, gone := db.number(ctx, id); gone == nil { // the log's number survives a purge
			return directory.Notebook{}, fmt.Errorf("notebook %s: %w: %w", id, directory.ErrPurged, directory.ErrNotFound)
		}
	}
	if err != nil {
		return directory.Notebook{}, fmt.Errorf("notebook %s: %w", id, db.found(err))
	}
	return n, nil
}

// DeleteNotebook records the time of a deletion. Nothing is removed, and RestoreNotebook reverses
// it. A second deletion keeps the first time.
func (db *DB) DeleteNotebook(ctx context.Context, id string, at event.Time) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		return changeOne(ctx, c, `UPDATE notebooks SET deleted = iif(deleted = 0, ?, deleted) WHERE id = ?`, int64(at), id)
	})
	if err != nil {
		return fmt.Errorf("delete notebook %s: %w", id, err)
	}
	return nil
}

// RestoreNotebook undoes DeleteNotebook.
func (db *DB) RestoreNotebook(ctx context.Context, id string) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		return changeOne(ctx, c, `UPDATE notebooks SET deleted = 0 WHERE id = ?`, id)
	})
	if err != nil {
		return fmt.Errorf("restore notebook %s: %w", id, err)
	}
	return nil
}

// maxPage bounds the notebooks of a list.
const maxPage = 500

// ListNotebooks returns the notebooks of a query, in its order. A page that is not full is the last
// one.
func (db *DB) ListNotebooks(ctx context.Context, q directory.Query) ([]directory.Listing, error) {
	if q.Limit <= 0 || q.Limit > maxPage {
		q.Limit = maxPage
	}
	text, args := listStatement(q)
	rows, err := db.read.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, fmt.Errorf("list notebooks: %w", db.explain(err))
	}
	defer rows.Close()
	var list []directory.Listing
	for len(list) < q.Limit && rows.Next() {
		var l directory.Listing
		if err := rows.Scan(&l.ID, &l.Title, &l.Owner, &l.Created, &l.Updated, &l.Deleted, &l.Cells, &l.Role); err != nil {
			return nil, fmt.Errorf("list notebooks: %w", db.explain(err))
		}
		if q.Matches(l.Title) {
			list = append(list, l)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list notebooks: %w", db.explain(err))
	}
	return list, nil
}

// listStatement returns the statement of a query, without its search text: SQLite folds the case of
// ASCII letters only.
func listStatement(q directory.Query) (text string, args []any) {
	// A person has few of all notebooks, so the query starts from the grants.
	from := `'' FROM notebooks AS n WHERE ?1 = ''`
	if q.Person != "" {
		from = `a.role FROM access AS a CROSS JOIN notebooks AS n ON n.id = a.notebook WHERE a.person = ?1`
	}
	column, key := "n.updated", any(int64(q.After.Time))
	switch q.Sort {
	case directory.ByCreation:
		column = "n.created"
	case directory.ByTitle:
		column, key = "n.title COLLATE NOCASE", q.After.Title
	}
	comes, direction := "<", "DESC"
	if q.Ascending {
		comes, direction = ">", "ASC"
	}
	limit := q.Limit
	if q.Search != "" {
		limit = -1 // the reader of the rows stops when there are enough
	}
	return `SELECT n.id, n.title, n.owner, n.created, n.updated, n.deleted, n.cells, ` + from + `
		AND (?2 = '' OR n.owner = ?2) AND (n.deleted <> 0) = ?3 AND (?5 = '' OR (` + column + `, n.id) ` + comes + ` (?4, ?5))
		ORDER BY ` + column + ` ` + direction + `, n.id ` + direction + ` LIMIT ?6`,
		[]any{q.Person, q.Owner, q.Deleted, key, q.After.ID, limit}
}
