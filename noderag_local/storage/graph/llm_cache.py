"""Caches what a language model has written, so that no call is made twice."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store

_SWEEP = """
DELETE FROM llm_cache WHERE input_hash NOT IN (
  SELECT hashes.value FROM work_items, json_each('["' || replace(input_hash, ' ', '","') || '"]') AS hashes
)
"""
_TOKENS = """
SELECT stage, sum(prompt_tokens + written_tokens) FROM (
  SELECT DISTINCT stage, llm_cache.*
  FROM work_items, json_each('["' || replace(work_items.input_hash, ' ', '","') || '"]') AS hashes
  JOIN llm_cache ON llm_cache.model = work_items.model AND llm_cache.prompt = stage || ' ' || work_items.prompt
    AND llm_cache.input_hash = hashes.value
) GROUP BY stage ORDER BY stage
"""


@dataclass(frozen=True, slots=True)
class CachedText:
    """The answer to a request that was made before, and what it cost then."""

    output: str
    prompt_tokens: int
    written_tokens: int


class LlmCache:
    """The table `llm_cache`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, model: str, prompt: str, input_hash: str) -> CachedText | None:
        """Returns what the model wrote; None where it was never asked.

        Args:
            model: `Engine.identity`.
            prompt: name of the stage and version of its prompt.
            input_hash: of the whole request.
        """
        rows = self._store.rows(
            "SELECT output, prompt_tokens, written_tokens FROM llm_cache WHERE model = ? AND prompt = ? AND input_hash = ?",
            (model, prompt, input_hash),
        )
        return CachedText(*rows[0]) if rows else None

    def put(self, model: str, prompt: str, input_hash: str, text: CachedText) -> None:
        """Keeps what the model wrote; in a transaction of its own or of the caller."""
        with self._store.transaction():
            self._store.run(
                "INSERT OR REPLACE INTO llm_cache (model, prompt, input_hash, output, prompt_tokens, written_tokens)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (model, prompt, input_hash, storable(text.output), text.prompt_tokens, text.written_tokens),
            )

    def tokens_of_stages(self) -> dict[str, int]:
        """Returns stage -> tokens, read and written, of the answers that its work items rest on; sorted by stage."""
        return dict(self._store.rows(_TOKENS))

    def sweep(self) -> int:
        """Removes the answers that no work item rests on, which may tell of notes that are gone; returns their number.

        Called when all work is done or something is forgotten; until then the answers save calls for chunks that come
        back unchanged.
        """
        with self._store.transaction():
            return self._store.run(_SWEEP)
