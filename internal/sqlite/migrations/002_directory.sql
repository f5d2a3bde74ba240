CREATE TABLE people (
	id      TEXT PRIMARY KEY,
	name    TEXT NOT NULL,
	email   TEXT NOT NULL,
	created INTEGER NOT NULL -- all times in milliseconds since 1970
) STRICT, WITHOUT ROWID;

CREATE TABLE notebooks (
	log     INTEGER PRIMARY KEY REFERENCES logs (number),
	id      TEXT NOT NULL UNIQUE,
	title   TEXT NOT NULL,
	owner   TEXT NOT NULL REFERENCES people (id),
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	deleted INTEGER NOT NULL -- 0 while it is not deleted
) STRICT;

CREATE INDEX notebooks_updated ON notebooks (updated, id);

CREATE TABLE access (
	person   TEXT NOT NULL REFERENCES people (id),
	notebook TEXT NOT NULL REFERENCES notebooks (id),
	role     TEXT NOT NULL,
	PRIMARY KEY (person, notebook)
) STRICT, WITHOUT ROWID;

CREATE INDEX access_notebook ON access (notebook, person);
