"""Cuts drafts into chunks and counts their tokens; a draft on which that fails is skipped and reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import Document, Skipped
from noderag_local.ingest.chunks import packing
from noderag_local.ingest.chunks.packing import CountTokens, chunk_documents
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.storage.documents.each_alone import Failure, each_alone

NOT_CUT = "not cut"


@dataclass(frozen=True, slots=True)
class Counters:
    """The two ways in which tokens are counted."""

    chunk: CountTokens
    """Counts for the size of chunks: word pieces of the embedding model, so that chunks do not depend on the language model."""
    context: CountTokens
    """Counts for budgets: tokens of the language model."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A document that is cut into chunks and ready to be stored."""

    document: Document
    tokens: list[int]
    """Tokens of each sentence, in reading order."""


def cut(drafts: Sequence[Draft], counters: Counters) -> list[Cut | Skipped]:
    """Returns each draft as a cut document, or the report of why it was skipped, in their order."""
    made = each_alone(lambda some: _cut(some, counters), drafts)
    return [_told(draft, one) if isinstance(one, Failure) else one for draft, one in zip(drafts, made, strict=True)]


def _cut(drafts: Sequence[Draft], counters: Counters) -> Iterator[Cut]:
    documents = chunk_documents(drafts, counters.chunk, packing.DEFAULT_SIZE)
    texts = [[sentence.text for chunk in document.chunks for sentence in chunk.sentences] for document in documents]
    tokens = iter(counters.context([text for of_document in texts for text in of_document]))
    for document, of_document in zip(documents, texts, strict=True):
        yield Cut(document, [next(tokens) for _ in of_document])


def _told(draft: Draft, failure: Failure) -> Skipped:
    place = f"{draft.path}:{draft.sentences[0].sentence.passage.first_line}" if draft.record else draft.path
    detail = (
        f"{place} was left out: cutting it into chunks failed ({failure.kind}), a fault of this program. The next"
        " `noderag index` tries it again; exclude the file if it goes on, or report the fault."
    )
    return Skipped(draft.path, NOT_CUT, detail, is_error=True)
