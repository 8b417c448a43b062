-- The thirteenth format: the day that a document tells of itself, as "2026-05-03"; '' where it tells none, or was read before.
ALTER TABLE documents ADD COLUMN day TEXT NOT NULL DEFAULT '';
