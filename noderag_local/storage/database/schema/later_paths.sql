-- The second format: what conversations need to know for good of files that the vault has not any more, and of themselves.

CREATE TABLE later_paths (               -- where files lay later that turns quote, when they were deleted on disk
  path TEXT NOT NULL,                    -- as the turns name it; spelling.path_value
  later TEXT NOT NULL,
  PRIMARY KEY (path, later)
) WITHOUT ROWID;

CREATE TABLE traces_left (               -- a row while bytes of deleted turns may stand in free parts of this file or its log
  since_ms INTEGER NOT NULL
);
