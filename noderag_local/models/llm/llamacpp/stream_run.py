"""Runs one streamed request: reads the prompt, then passes on each token as it is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from noderag_local.models.llm.engine import Finish
from noderag_local.models.llm.llamacpp.llama_context import Block, LlamaContext
from noderag_local.models.llm.llamacpp.llama_native import Aborted
from noderag_local.models.llm.llamacpp.writing import Writing


class StreamRun:
    """One streamed request; its figures are valid when it has finished."""

    def __init__(self, writing: Writing, tell: Callable[[str], None]) -> None:
        """Prepares the request; `tell` receives text that is safe to show."""
        self.writing, self._tell = writing, tell
        self.started = time.perf_counter()
        self.first_token_at: float | None = None
        self.reused_tokens = 0

    def finish(self, context: LlamaContext, blocks: Sequence[Block]) -> Finish:
        """Reads the prompt and writes until something ends the text."""
        writing = self.writing
        self._say(writing.begin())
        try:
            if writing.finish is None:
                self.reused_tokens = context.read(blocks)
                # Read apart from the prompt, which another request may share.
                context.extend(writing.unread())
            while writing.finish is None:
                shown = writing.go_on(context.scores())
                self.first_token_at = self.first_token_at or time.perf_counter()
                self._say(shown)
                if writing.finish is None:
                    context.extend(writing.unread())
        except Aborted:
            writing.finish = Finish.CANCELLED
        self._say(writing.rest())
        return writing.finish

    def _say(self, text: str) -> None:
        if text:
            self._tell(text)
