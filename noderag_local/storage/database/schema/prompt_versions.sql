-- The tenth format: the prompt of `decompose` is known by its text, as those of the other stages are. "1" was this text.
UPDATE work_items SET prompt = 'statements 1.1 c94ce9a0' WHERE stage = 'decompose' AND prompt = '1';
UPDATE llm_cache SET prompt = 'decompose statements 1.1 c94ce9a0' WHERE prompt = 'decompose 1';
