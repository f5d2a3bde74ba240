package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
)

// Grant gives a person a role in a notebook, replacing the previous one. It returns
// directory.ErrOwner for the notebook's owner, whose role is fixed, and directory.ErrNotFound if
// there is no such notebook or person.
func (db *DB) Grant(ctx context.Context, g directory.Grant) error {
	if !g.Role.Valid() || g.Role.Serves() {
		return fmt.Errorf("grant access to notebook %s: %q is no role of a person", g.Notebook, g.Role)
	}
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		if err := notOwner(ctx, c, g.Notebook, g.Person); err != nil {
			return err
		}
		return insertAccess(ctx, c, g)
	})
	if err != nil {
		return fmt.Errorf("grant access to notebook %s: %w", g.Notebook, err)
	}
	return nil
}

// Revoke removes a person's role in a notebook, if there is one. It returns directory.ErrOwner for
// the notebook's owner.
func (db *DB) Revoke(ctx context.Context, notebook, person string) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		if err := notOwner(ctx, c, notebook, person); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, `DELETE FROM access WHERE notebook = ? AND person = ?`, notebook, person)
		return err
	})
	if err != nil {
		return fmt.Errorf("revoke access to notebook %s: %w", notebook, err)
	}
	return nil
}

// Role returns a person's role in a notebook: the empty role, which permits nothing, if there is no
// such notebook or the person has no access to it.
func (db *DB) Role(ctx context.Context, notebook, person string) (access.Role, error) {
	var role access.Role
	err := db.read.QueryRowContext(ctx, `SELECT role FROM access WHERE person = ? AND notebook = ?`, person, notebook).Scan(&role)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("role in notebook %s: %w", notebook, db.explain(err))
	}
	return role, nil
}

// Access returns the grants of a notebook, ordered by person.
func (db *DB) Access(ctx context.Context, notebook string) ([]directory.Grant, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT person, role FROM access WHERE notebook = ? ORDER BY person`, notebook)
	if err != nil {
		return nil, fmt.Errorf("access to notebook %s: %w", notebook, db.explain(err))
	}
	defer rows.Close()
	var list []directory.Grant
	for rows.Next() {
		g := directory.Grant{Notebook: notebook}
		if err := rows.Scan(&g.Person, &g.Role); err != nil {
			return nil, fmt.Errorf("access to notebook %s: %w", notebook, db.explain(err))
		}
		list = append(list, g)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("access to notebook %s: %w", notebook, db.explain(err))
	}
	return list, nil
}

func insertAccess(ctx context.Context, c *sql.Conn, g directory.Grant) error {
	_, err := c.ExecContext(ctx, `INSERT INTO access (person, notebook, role) VALUES (?, ?, ?)
		ON CONFLICT (person, notebook) DO UPDATE SET role = excluded.role`, g.Person, g.Notebook, string(g.Role))
	return err
}

// notOwner returns directory.ErrOwner for the owner of a notebook.
func notOwner(ctx context.Context, c *sql.Conn, notebook, person string) error {
	var owner string
	err := c.QueryRowContext(ctx, `SELECT owner FROM notebooks WHERE id = ?`, notebook).Scan(&owner)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return directory.ErrNotFound
	case err == nil && owner == person:
		return directory.ErrOwner
	}
	return err
}
