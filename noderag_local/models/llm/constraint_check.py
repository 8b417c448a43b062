"""Checks that a model obeys constraints: forbidden its first byte, it must write something else."""

from __future__ import annotations

from functools import partial

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.llamacpp.background import Background
from noderag_local.models.llm.llamacpp.llama_batch import LlamaBatch
from noderag_local.models.llm.llamacpp.sampling import Scores
from noderag_local.models.llm.llamacpp.tokenizer import PromptWriter, Vocabulary
from noderag_local.models.llm.llamacpp.writing import Writing

QUESTION = (Message(Role.USER, "Say yes."),)
TOKENS = 4


class _Without:
    """Allows any text of one to eight bytes that does not contain one given byte."""

    def __init__(self, forbidden: int) -> None:
        self._forbidden, self._length = forbidden, 0

    def allows(self, piece: bytes) -> bool:
        return self._forbidden not in piece and self._length + len(piece) <= 8

    def accept(self, piece: bytes) -> None:
        self._length += len(piece)

    def may_end(self) -> bool:
        return self._length > 0

    def forced(self) -> bytes:
        return b""


def prove_constraints_bind(
    name: str, batch: LlamaBatch, prompts: PromptWriter, vocabulary: Vocabulary, background: Background
) -> None:
    """Lets the model write a few tokens freely, and then without the first byte of those.

    Raises:
        ModelError: the byte stands there all the same, or nothing does: the vocabulary's bytes are not what it writes.
        Aborted: the caller has given up.
    """
    prompt = prompts.prompt(QUESTION)
    tokens = (*prompt.shared, *prompt.own)

    def read() -> Scores:
        batch.begin(0, shared=False)
        return batch.read(0, tokens)

    def written(request: Request) -> bytes:
        writing = Writing(request, vocabulary)
        said = writing.begin() + writing.go_on(background.run(read))
        while writing.finish is None:
            said += writing.go_on(background.run(partial(batch.read, 0, writing.unread())))
        return (said + writing.rest()).encode()

    free = written(Request(QUESTION, TOKENS))
    bound = written(Request(QUESTION, TOKENS, constraint=lambda: _Without(free[0]))) if free else b""
    if not bound or free[0] in bound:
        raise ModelError(
            f"{name} does not keep to constraints: asked for a text without {free[:1]!r} it wrote {bound!r}. "
            "Choose another model: `noderag models list`."
        )
