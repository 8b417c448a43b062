-- The fifth format: names of files are private, too, so a salted mark stands for what was forgotten, in place of its path.

DROP TABLE forgotten;
CREATE TABLE forgotten (           -- files and folders that indexing leaves out until they are named themselves
  mark BLOB PRIMARY KEY            -- path_marks.mark_of, with the salt in facts
) WITHOUT ROWID;
