-- The ninth format: what the documents of each file were made by; '' of files that were read before this was noted.
ALTER TABLE files ADD COLUMN read_by TEXT NOT NULL DEFAULT '';
