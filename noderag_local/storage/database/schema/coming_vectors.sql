-- Vectors of another embedding model while they are made; the old ones answer until all of these are there.

CREATE TABLE coming_embeddings (
  node_id INTEGER PRIMARY KEY REFERENCES nodes ON DELETE CASCADE,
  vector BLOB NOT NULL           -- float16, unit length, little endian
);
