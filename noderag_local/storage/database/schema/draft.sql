-- The third format of the conversations: what is written in the question box and not sent, for after a closed terminal.
-- The table is of one file alone, so exports leave it out.

CREATE TABLE _draft (
  text TEXT NOT NULL                     -- one row at most
);
