package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/quirehq/quire/core/directory"
)

// UpsertPerson stores a person, or the new name and email of an existing one.
func (db *DB) UpsertPerson(ctx context.Context, p directory.Person) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, `INSERT INTO people (id, name, email, created) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email`,
			p.ID, p.Name, p.Email, int64(p.Created))
		return err
	})
	if err != nil {
		return fmt.Errorf("store person %s: %w", p.ID, err)
	}
	return nil
}

// Person returns a person, or directory.ErrNotFound.
func (db *DB) Person(ctx context.Context, id string) (directory.Person, error) {
	p := directory.Person{ID: id}
	err := db.read.QueryRowContext(ctx, `SELECT name, email, created FROM people WHERE id = ?`, id).
		Scan(&p.Name, &p.Email, &p.Created)
	if err != nil {
		return directory.Person{}, fmt.Errorf("person %s: %w", id, db.found(err))
	}
	return p, nil
}
