package sqlcell

import (
	"context"
	"strings"
)

// lentSchema is the schema of the tables that are lent by another language. It comes after all of the user's in the search
// for a name, so that a table of the database is never covered.
const lentSchema = "python"

// lend makes a table of the variable whose name a statement misses, and reports whether it did, so that the statement can
// be prepared again.
func (d *sqliteDB) lend(ctx context.Context, from lender, f *fault) bool {
	name, ok := strings.CutPrefix(f.message, "no such table: ")
	name = strings.TrimPrefix(name, lentSchema+".")
	if !ok || d.lent[name] {
		return false
	}
	frame, found, note := from.frame(ctx, name)
	if note != "" {
		f.more = append(f.more, note)
	}
	if !found {
		return false
	}
	d.h.setLending(true)
	failed := d.storeIn(lentSchema, name, frame)
	d.h.setLending(false)
	if failed != nil {
		f.more = append(f.more, name+" is a table of Python, and cannot be queried: "+failed.message)
		return false
	}
	d.lent[name] = true
	return true
}

// takeBack drops what was lent: the next cell gets what the variables are then. In a transaction a ROLLBACK can bring it
// back, so it is dropped again at its end.
func (d *sqliteDB) takeBack() {
	if len(d.lent) == 0 && !d.haunted {
		return
	}
	d.h.begin() // an interrupt is over
	d.h.setLending(true)
	defer d.h.setLending(false)
	t, f := d.rows("SELECT name FROM "+lentSchema+".sqlite_master", nil, catalogBounds)
	if f != nil {
		return // the next cell tries again
	}
	for _, row := range t.rows {
		_, _ = d.rows("DROP TABLE "+lentSchema+"."+quoteName(row[0].text), nil, catalogBounds)
	}
	clear(d.lent)
	d.haunted = d.h.inTransaction()
}
