-- The seventh format: which entities are one. The entities themselves stay as the notes name them; what is written here says
-- how they are to be read together, and goes with them.

CREATE TABLE name_blocks (         -- entities whose names may be one share a block
  id INTEGER PRIMARY KEY,
  block INTEGER NOT NULL,          -- a hash; name_variants.py says of what
  node_id INTEGER REFERENCES nodes ON DELETE SET NULL,  -- NULL: it is gone, and its block is still to be looked at
  UNIQUE (node_id, block)
);
CREATE INDEX name_blocks_by_block ON name_blocks (block);

CREATE TABLE same_names (          -- what the rules are sure of; made anew block by block
  block INTEGER NOT NULL,
  first INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,
  second INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,
  rule TEXT NOT NULL,
  PRIMARY KEY (block, first, second)
) WITHOUT ROWID;
CREATE INDEX same_names_by_first ON same_names (first);
CREATE INDEX same_names_by_second ON same_names (second);

CREATE TABLE name_decisions (      -- what a person has decided; it goes before the rules
  first INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,   -- the lesser id
  second INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE,
  same INTEGER NOT NULL,           -- 0: never the same
  PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE INDEX name_decisions_by_second ON name_decisions (second);

CREATE TABLE merged_names (        -- what follows from both
  node_id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  into_id INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE  -- the entity that stands for it
);
CREATE INDEX merged_names_by_into ON merged_names (into_id);
