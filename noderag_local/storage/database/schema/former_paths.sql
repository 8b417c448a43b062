-- The eighth format: where a file lay before, so that what quotes it by an old path is found.

CREATE TABLE former_paths (
  mark BLOB NOT NULL,              -- path_marks.mark_of a path that the file had, with the salt in facts
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  PRIMARY KEY (mark, file_id)
) WITHOUT ROWID;
CREATE INDEX former_paths_by_file ON former_paths (file_id);
