"""Embeds passages so that one on which the embedding model fails costs only its own vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noderag_local.domain.errors import ModelError
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors, embedded
from noderag_local.models.llm.server.server_faults import ServerUnreachable
from noderag_local.storage.documents.each_alone import ENDS_THE_RUN, Failure

PLAIN_TEXT = "one"
"""Text that every model can read: a model that fails on it fails on all."""


def embedded_or_failed(
    embedder: Embedder,
    passages: Sequence[EmbeddedChunk],
    advanced: Callable[[int], None],
    cancelled: Callable[[], bool],
) -> list[PassageVectors | Failure] | None:
    """Returns, for each passage, its vectors or the failure of the model on it; None when the work was stopped.

    All passages are embedded together. If that fails, the two halves are embedded instead, and so on down to single passages.

    Args:
        embedder: the model.
        passages: passages to embed.
        advanced: told after each batch how many sentences are done.
        cancelled: asked between two batches.

    Raises:
        Exception: of the model, if it fails on a plain text, too; or an error about the machine, the vault or the settings.
    """
    try:
        vectors = embedded(embedder, passages, advanced, cancelled)
        return None if vectors is None else list(vectors)
    except Exception as error:
        if not _may_be_of_a_text(error) or not _can_read(embedder, PLAIN_TEXT):
            raise
        if len(passages) == 1:
            return [Failure(type(error).__name__)]
    middle = len(passages) // 2
    done = sum(len(passage.sentences) for passage in passages[:middle])
    first = embedded_or_failed(embedder, passages[:middle], advanced, cancelled)
    if first is None:
        return None
    second = embedded_or_failed(embedder, passages[middle:], lambda more: advanced(done + more), cancelled)
    return None if second is None else first + second


def _may_be_of_a_text(error: Exception) -> bool:
    """Returns whether the text may have caused an error. A server that cannot be reached may come back, so no text is blamed."""
    if isinstance(error, ModelError):
        return not isinstance(error, ServerUnreachable)
    return not isinstance(error, ENDS_THE_RUN)


def _can_read(embedder: Embedder, text: str) -> bool:
    try:
        embedder.questions([text])
    except Exception:  # noqa: BLE001 - what fails here has failed before, and that error is raised
        return False
    return True
