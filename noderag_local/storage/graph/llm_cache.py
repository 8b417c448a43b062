"""Caches the answers of language models, so that no call is made twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.domain.model_use import ModelUse
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store

_SWEEP = """
DELETE FROM llm_cache WHERE input_hash NOT IN (
  SELECT hashes.value FROM work_items, json_each('["' || replace(input_hash, ' ', '","') || '"]') AS hashes
)
"""
_OF_STAGES = " AND substr(prompt, 1, instr(prompt, ' ') - 1) IN (SELECT value FROM json_each(?))"
_USE = """
SELECT stage, count(*), sum(prompt_tokens), sum(written_tokens) FROM (
  SELECT DISTINCT stage, llm_cache.*
  FROM work_items, json_each('["' || replace(work_items.input_hash, ' ', '","') || '"]') AS hashes
  JOIN llm_cache ON llm_cache.model = work_items.model AND llm_cache.input_hash = hashes.value
    -- What stands behind "; " are settings, which answers are cached without.
    AND llm_cache.prompt = stage || ' ' || substr(work_items.prompt, 1, instr(work_items.prompt || '; ', '; ') - 1)
) GROUP BY stage ORDER BY stage
"""


@dataclass(frozen=True, slots=True)
class CachedText:
    """Cached answer to a request, with the tokens that it cost."""

    output: str
    prompt_tokens: int
    written_tokens: int


class LlmCache:
    """The table `llm_cache`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, model: str, prompt: str, input_hash: str) -> CachedText | None:
        """Returns the cached answer; None if there is none.

        Args:
            model: `Engine.identity`.
            prompt: name of the stage and version of its prompt.
            input_hash: hash of the whole request.
        """
        rows = self._store.rows(
            "SELECT output, prompt_tokens, written_tokens FROM llm_cache WHERE model = ? AND prompt = ? AND input_hash = ?",
            (model, prompt, input_hash),
        )
        return CachedText(*rows[0]) if rows else None

    def put(self, model: str, prompt: str, input_hash: str, text: CachedText) -> None:
        """Stores an answer; within the caller's transaction if there is one."""
        with self._store.transaction():
            self._store.run(
                "INSERT OR REPLACE INTO llm_cache (model, prompt, input_hash, output, prompt_tokens, written_tokens)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (model, prompt, input_hash, storable(text.output), text.prompt_tokens, text.written_tokens),
            )

    def use_of_stages(self) -> dict[str, ModelUse]:
        """Returns stage -> requests and tokens for the answers that its work items use, ordered by stage.

        The store does not know which tokens of a prompt the model still had in its cache; all count as read.
        """
        return {
            stage: ModelUse(calls, prompt_tokens, 0, written_tokens)
            for stage, calls, prompt_tokens, written_tokens in self._store.rows(_USE)
        }

    def sweep(self, stages: Iterable[str] | None = None) -> int:
        """Removes answers that no work item uses, since they may quote removed notes; returns their number.

        Called after all work is done or something was forgotten. Until then, such answers save calls if a chunk comes back
        unchanged or the results of a stage were dropped.

        Args:
            stages: names of the stages whose answers are removed; None for all answers.
        """
        with self._store.transaction():
            if stages is None:
                return self._store.run(_SWEEP)
            return self._store.run(_SWEEP + _OF_STAGES, (json.dumps(list(stages)),))
