-- The twelfth format: what changed since the caches were made, so that a change costs what changed and not the whole vault.
-- The tables are of one file alone, so exports leave them out. They have rows only while the caches are behind; change_log.py
-- fills them.

CREATE TABLE _changed_sentences (
  id INTEGER PRIMARY KEY             -- added, removed, or with another text, chunk, place or number of tokens
);

CREATE TABLE _changed_chunks (
  id INTEGER PRIMARY KEY
);

CREATE TABLE _changed_documents (
  id INTEGER PRIMARY KEY             -- with another path, title or headings, from which the days of their sentences follow
);

CREATE TABLE _changed_names (
  id INTEGER PRIMARY KEY             -- entities and keywords that were added or removed
);

CREATE TABLE _changed_vectors (
  id INTEGER PRIMARY KEY
);

CREATE TABLE _changed_edges (
  type TEXT NOT NULL,
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (type, source, target)
) WITHOUT ROWID;
