-- The first format of a vault; the tables of the language model's tier follow in language_model.sql.
-- One file is the truth of a vault. Containment (document – chunk – sentence) is in the rows themselves; `edges` holds what no row says.

CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,            -- what the user asked to index when this file was found
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  by_lines INTEGER NOT NULL,
  complete INTEGER NOT NULL      -- 0 while its documents are being written
);

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,            -- NodeType
  key TEXT,                      -- identity of entities and keywords; NULL for what is identified by its place
  name TEXT
);
CREATE UNIQUE INDEX nodes_by_key ON nodes (type, key) WHERE key IS NOT NULL;

CREATE TABLE documents (
  id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  file_id INTEGER NOT NULL REFERENCES files,
  record INTEGER NOT NULL,
  title TEXT NOT NULL,
  encoding TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  tags TEXT NOT NULL,            -- JSON list
  aliases TEXT NOT NULL,         -- JSON list
  UNIQUE (file_id, record)
);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  document_id INTEGER NOT NULL REFERENCES documents,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  headings TEXT NOT NULL,        -- one a line, outermost first
  label TEXT NOT NULL,           -- title and headings as one searchable line
  bigrams TEXT NOT NULL,         -- pairs of characters of scripts that FTS5 cannot cut into words
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  UNIQUE (document_id, position)
);

CREATE TABLE sentences (
  id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  chunk_id INTEGER NOT NULL REFERENCES chunks,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,            -- BlockKind
  links TEXT NOT NULL,           -- JSON list of [target, label]; '' where there are none
  tags TEXT NOT NULL,            -- JSON list; '' where there are none
  tokens INTEGER NOT NULL,       -- by the tokenizer that facts.tokenizer names
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL
);
CREATE INDEX sentences_by_chunk ON sentences (chunk_id);

CREATE TABLE edges (
  source INTEGER NOT NULL,
  type TEXT NOT NULL,            -- a letter for each EdgeType: edge_letters.py
  target INTEGER NOT NULL,
  weight REAL NOT NULL,
  PRIMARY KEY (type, source, target)
) WITHOUT ROWID;
CREATE INDEX edges_between_texts ON edges (target) WHERE type IN ('s', 'l');  -- for removing a document

CREATE TABLE embeddings (
  node_id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  vector BLOB NOT NULL           -- float16, unit length, little endian
);

CREATE TABLE skipped (
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  root TEXT NOT NULL
);

-- documents.py and graph.py keep the two indexes, many rows a statement: FTS5 writes its words to disk after each statement,
-- which by triggers cost 0.9 s in place of 0.03 s for 37,000 names.
-- With the marks (M*), as vowel signs belong to a word in the scripts of India; accents are taken off all the same.
CREATE VIRTUAL TABLE chunk_words USING fts5 (
  text, label, bigrams, content = 'chunks', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);

CREATE VIEW entities AS SELECT id, name FROM nodes WHERE type = 'N';
CREATE VIRTUAL TABLE entity_names USING fts5 (
  name, content = 'entities', content_rowid = 'id', columnsize = 0, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
