-- The third format: what the user has put aside. Only writers read this table, so readers take the second format as well.

CREATE TABLE IF NOT EXISTS forgotten (  -- files and folders that indexing leaves out until they are named themselves
  path TEXT PRIMARY KEY
) WITHOUT ROWID;
