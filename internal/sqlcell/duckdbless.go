//go:build !duckdb || !cgo

package sqlcell

import (
	"context"
	"errors"
)

// LacksDuckDB returns the reason why DuckDB cannot be used in this program, with the remedy; nil if it can.
func LacksDuckDB() error {
	return errors.New("this program is built without it, since it is C++: build Quire with CGO_ENABLED=1 and -tags duckdb, or by make duckdb, where there is a C++ compiler")
}

func openDuckDB(context.Context, string, string, int64) (database, *fault) {
	return nil, &fault{name: connectionError, at: -1, message: LacksDuckDB().Error()}
}
