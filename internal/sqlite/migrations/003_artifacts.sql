-- Which notebook has which bytes, that are kept elsewhere under their hash.
CREATE TABLE artifacts (
	notebook  TEXT NOT NULL REFERENCES notebooks (id),
	hash      TEXT NOT NULL,
	size      INTEGER NOT NULL,
	uploaded  INTEGER NOT NULL, -- when it last was, in milliseconds since 1970
	mentioned INTEGER NOT NULL, -- 1 once the log may mention it, and from then on for ever
	PRIMARY KEY (notebook, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_hash ON artifacts (hash);
CREATE INDEX artifacts_loose ON artifacts (uploaded) WHERE mentioned = 0;
