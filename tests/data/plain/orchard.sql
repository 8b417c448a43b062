-- The trees of an orchard.
CREATE TABLE trees (id INTEGER PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'apple; pear', age INTEGER);
CREATE INDEX by_kind ON trees (kind);
/* Those that bear. */
CREATE VIEW bearing AS SELECT * FROM trees WHERE age >= 4;
CREATE TRIGGER planted AFTER INSERT ON trees BEGIN
  UPDATE trees SET age = 0 WHERE id = new.id;
END;
INSERT INTO trees (kind, age) VALUES ('it''s a pear', 7);
