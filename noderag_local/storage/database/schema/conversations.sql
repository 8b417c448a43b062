-- Conversations, in a file of their own beside the vault: they are kept while an enrichment has the vault's writer lock.

CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given out again, so that nothing is added to another one than was meant
  name TEXT NOT NULL,                    -- '' until a person names it
  created_ms INTEGER NOT NULL,           -- since 1970, UTC
  changed_ms INTEGER NOT NULL
);

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
  position INTEGER NOT NULL,             -- 0-based
  question TEXT NOT NULL,
  asked_as TEXT NOT NULL,                -- the question made to stand alone; '' where it was asked as it is
  answer TEXT NOT NULL,
  model TEXT NOT NULL,
  abstained INTEGER NOT NULL,
  stopped INTEGER NOT NULL,
  note TEXT NOT NULL,
  found TEXT NOT NULL,                   -- JSON of the Retrieval
  scope TEXT NOT NULL,                   -- JSON of the Scope
  cost TEXT NOT NULL,                    -- JSON; '' where no model was asked
  UNIQUE (conversation_id, position)
);

-- Question, answer and the pairs of characters of scripts that FTS5 cannot cut into words.
CREATE VIRTUAL TABLE turn_words USING fts5 (
  words, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
