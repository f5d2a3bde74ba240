-- NULL until the next batch of a notebook that was there before this column.
ALTER TABLE notebooks ADD COLUMN cells INTEGER;
