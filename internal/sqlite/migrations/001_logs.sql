CREATE TABLE logs (
	number INTEGER PRIMARY KEY AUTOINCREMENT, -- below 2^23, never used twice
	id     TEXT NOT NULL UNIQUE
) STRICT;

-- The journal has what was appended last, a row for each transaction: to write
-- the batches of many logs side by side costs a fraction of writing each to the
-- end of its own log. Its rows move to segments when there are enough.
CREATE TABLE journal (
	id   INTEGER PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;

-- A segment is consecutive records of one log. Its place is the number of the log and of its first record
-- in one integer, so that one tree serves to append, to find and to read on.
CREATE TABLE segments (
	place INTEGER PRIMARY KEY, -- number of the log * 2^40 + number of the first record
	last  INTEGER NOT NULL,    -- number of the last record
	form  INTEGER NOT NULL,    -- 0 lines, 1 lines in zstd, 2 columns in zstd
	data  BLOB NOT NULL
) STRICT;

CREATE TABLE snapshots (
	log  INTEGER PRIMARY KEY REFERENCES logs (number),
	seq  INTEGER NOT NULL,
	fold INTEGER NOT NULL, -- the version of the fold that made it
	data BLOB NOT NULL     -- in zstd
) STRICT;
