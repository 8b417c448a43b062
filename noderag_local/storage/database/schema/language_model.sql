-- The second format: what a language model makes of the texts.

CREATE TABLE IF NOT EXISTS fragments (         -- what derived nodes (S, N, R) were made of; a node without any left goes
  chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
  node_id INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,
  position INTEGER NOT NULL,     -- 0-based, of the node in the chunk
  text TEXT NOT NULL,            -- a relationship's statement, "subject | predicate | object"; '' where the node's name says all
  PRIMARY KEY (chunk_id, node_id, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fragments_by_node ON fragments (node_id);

CREATE TABLE IF NOT EXISTS work_items (
  stage TEXT NOT NULL,
  node_id INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,
  model TEXT NOT NULL,           -- Engine.identity
  prompt TEXT NOT NULL,          -- Stage.prompt_version
  input_hash TEXT NOT NULL,      -- of its requests, in order; '' where there was nothing to ask or no answer came
  status TEXT NOT NULL,          -- work.Status
  error TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  PRIMARY KEY (stage, node_id)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS work_items_by_node ON work_items (node_id);  -- for removing a node

CREATE TABLE IF NOT EXISTS llm_cache (         -- no call is made twice
  model TEXT NOT NULL,
  prompt TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  output TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  written_tokens INTEGER NOT NULL,
  PRIMARY KEY (model, prompt, input_hash)
) WITHOUT ROWID;

-- For removing nodes, and for what points at one. Entities and keywords are the targets of the types left out, which are most of
-- the table; those edges are replaced type by type. A query has to repeat the condition: edge_letters.BY_TARGET.
DROP INDEX IF EXISTS edges_between_texts;
CREATE INDEX IF NOT EXISTS edges_by_target ON edges (target, type) WHERE type NOT IN ('m', 'k', 'u', 'a');
