-- Where a person finds a text in a file that has no lines: "page 3", "slide 2"; '' in one that has.
ALTER TABLE chunks ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE sentences ADD COLUMN place TEXT NOT NULL DEFAULT '';
