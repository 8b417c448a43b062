-- The third format of the conversations: what is written in the question box and not sent, for after a closed terminal.

CREATE TABLE draft (
  text TEXT NOT NULL                     -- one row at most
);
