// Package sqlcell is the engine of SQL cells: statements for an SQLite database in memory or in a file, for PostgreSQL, and
// for DuckDB in programs that are built with the tag duckdb.
//
// # Cells
//
// A cell is a sequence of statements, which the database itself takes apart: SQLite by the tail of a prepared statement,
// PostgreSQL by its simple protocol, or by a pipeline where values are bound. The table of the last statement that has
// rows is the result, and those of earlier ones are displays. Rows that were inserted, updated or deleted are counted on
// stdout; warnings of the database and open transactions are told on stderr.
//
// In SQLite each statement commits by itself unless a transaction is open. The statements of a cell for PostgreSQL are
// one transaction unless they say BEGIN themselves, as for every client of its simple protocol. A transaction that a
// cell leaves open goes on in the next one.
//
// # Directives
//
// Comments at the top of a cell, before the first statement, direct it, one a line:
//
//	-- connection: NAME    the database: "memory", "duckdb", a file such as sales.db or x.duckdb, or a named connection
//	-- param: NAME = JSON  sets a parameter for this and later cells
//	-- result: NAME        keeps the result for [Engine.Result], and sets a variable of Python to it
//	-- csv                 adds text/csv to the result, with all rows as far as they fit
//
// A first line of "%%sql NAME", as other notebooks have it, means the connection NAME, and "-o NAME" in it a result that is
// kept. A cell without a connection uses the database in memory, which each engine has of its own.
//
// # Values
//
// A parameter is bound and never pasted: SQLite has :NAME, @NAME and $NAME, PostgreSQL gets :NAME for each parameter that
// is set. Parameters come from directives and from [Engine.Set], and are strings, numbers, booleans, null, or lists,
// which are JSON for SQLite and arrays for PostgreSQL. Set with a list of objects makes a table of the database in
// memory instead, and so does [Engine.SetTable]. [Engine.Get], [Engine.Table] and [Engine.Result] are the other direction.
//
// A table that SQLite does not find is borrowed from the tables of [lang.Request], if there is one of its name: it is copied to
// the schema python for the cell, which can only read it.
//
// A result is a table of typed columns as application/vnd.dataresource+json, text/html and text/plain. At most 1,000 rows
// and 2 MiB of text are shown, and at most 2,000 bytes of a value; a note counts what is left out. Integers beyond 2^53
// and decimals that a float64 does not hold are strings of digits in JSON.
//
// # Bounds
//
// SQLite executes in this process. What it may open is decided by its virtual file system, which asks [Config]: every
// name of a file passes there, of ATTACH and VACUUM INTO and of journals too. Extensions cannot be loaded. The memory
// limit is one of the process: all its SQLite databases share it. Connections to servers are looked up by
// [Config.Connection], whose URLs are secrets: no error has one.
package sqlcell
