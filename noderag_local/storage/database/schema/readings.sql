-- The sixth format: what the rules read out of each document, so that a change costs what changed and not the whole vault.

CREATE TABLE readings (            -- what a document adds to the counts below
  id INTEGER PRIMARY KEY,
  document_id INTEGER UNIQUE REFERENCES documents ON DELETE SET NULL,  -- NULL: it is gone, and its share is still in the counts
  share BLOB NOT NULL              -- JSON by zlib; readings.Share
);

CREATE TABLE said_names (          -- surface forms of entities, and how often they stand in the texts
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (key, name)
) WITHOUT ROWID;

CREATE TABLE said_keys (           -- entities, and how many edges of mention, subject and alias the documents give them
  key TEXT PRIMARY KEY,
  edges INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE said_words (          -- words that are or may become keywords
  word TEXT PRIMARY KEY,
  sentences INTEGER NOT NULL,
  id_sum INTEGER NOT NULL,         -- of the sentences' ids: where there is one sentence, it is that
  marked INTEGER NOT NULL          -- documents that write it with a capital or digits
) WITHOUT ROWID;

CREATE TABLE said_aliases (        -- pairs of entities that mean the same, and how many documents say so
  first TEXT NOT NULL,             -- the lesser key
  second TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (first, second)
) WITHOUT ROWID;

CREATE TABLE note_names (          -- what links may call a document
  name TEXT NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  PRIMARY KEY (name, document_id)
) WITHOUT ROWID;
CREATE INDEX note_names_by_document ON note_names (document_id);

CREATE TABLE note_links (          -- what the links of a document call others
  name TEXT NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  PRIMARY KEY (name, document_id)
) WITHOUT ROWID;
CREATE INDEX note_links_by_document ON note_links (document_id);

CREATE TABLE semantic_reach (      -- how far the list of nearest sentences reaches; without a row: a new sentence
  sentence_id INTEGER PRIMARY KEY REFERENCES sentences ON DELETE CASCADE,
  cosine REAL,                     -- of the last on the list; NULL: one of the list is gone
  last_id INTEGER                  -- the last on the list; NULL: the list holds all there are
);
