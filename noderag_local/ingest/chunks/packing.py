"""Packs whole sentences into chunks of a few hundred tokens.

A document that cannot be cut is skipped and reported, so that one error does not end a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind, Chunk, Document, Passage, Skipped
from noderag_local.ingest.chunks import packing
from noderag_local.ingest.chunks.parsed_document import Draft, DraftSentence
from noderag_local.storage.documents.each_alone import Failure, each_alone
from noderag_local.system.printing.cited_place import spanned

CountTokens = Callable[[Sequence[str]], Sequence[int]]
NOT_CUT = "not cut"


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """Bounds of a chunk in tokens."""

    minimum: int = 250
    """Number of tokens from which a chunk ends at the next end of a block."""
    maximum: int = 350
    """Largest number of tokens; only a single sentence can be longer."""


DEFAULT_SIZE = ChunkSize()


def chunk_documents(
    drafts: Sequence[Draft], count_tokens: CountTokens, size: ChunkSize = DEFAULT_SIZE
) -> list[Document]:
    """Returns drafts as documents in the same order; all their sentences are counted in one call.

    Args:
        drafts: documents as their readers give them.
        count_tokens: counts the tokens of each of some texts.
        size: bounds of a chunk.
    """
    counts = iter(
        count_tokens([draft.source(index, index) for draft in drafts for index in range(len(draft.sentences))])
    )
    return [_document(draft, [next(counts) for _ in draft.sentences], size) for draft in drafts]


def pack(sentences: Sequence[DraftSentence], tokens: Sequence[int], size: ChunkSize) -> list[range]:
    """Returns the range of sentences of each chunk; together the ranges hold every sentence once, in order.

    A chunk ends before a heading or another block once it has the minimum, and in any case before the sentence that
    would take it over the maximum. Headings never stand last in a chunk before another one; a small rest joins the last
    chunk if it fits.
    """
    ranges: list[range] = []
    start, total = 0, 0
    for index, count in enumerate(tokens):
        over = total + count > size.maximum
        if index > start and (over or (total >= size.minimum and sentences[index].starts_block)):
            end = _before_headings(sentences, start, index)
            if sum(tokens[end : index + 1]) > size.maximum:
                end = index
            ranges.append(range(start, end))
            start, total = end, sum(tokens[end:index])
        total += count
    if start < len(tokens):
        ranges.append(range(start, len(tokens)))
    return _merge_rest(ranges, tokens, size)


def _before_headings(sentences: Sequence[DraftSentence], start: int, end: int) -> int:
    """Returns the end of a chunk, moved before the headings that would stand last in it."""
    moved = end
    while moved > start + 1 and sentences[moved - 1].sentence.kind is BlockKind.HEADING:
        moved -= 1
    only_headings = sentences[moved - 1].sentence.kind is BlockKind.HEADING
    return end if only_headings else moved


def _merge_rest(ranges: list[range], tokens: Sequence[int], size: ChunkSize) -> list[range]:
    if len(ranges) < 2:
        return ranges
    last, rest = ranges[-2], ranges[-1]
    together = sum(tokens[last.start : rest.stop])
    return [*ranges[:-2], range(last.start, rest.stop)] if together <= size.maximum else ranges


def _document(draft: Draft, tokens: Sequence[int], size: ChunkSize) -> Document:
    ranges = pack(draft.sentences, tokens, size)
    chunks = tuple(_chunk(draft, position, included) for position, included in enumerate(ranges))
    return Document(
        draft.path,
        draft.record,
        draft.title,
        draft.encoding,
        draft.content_hash,
        chunks,
        draft.tags,
        draft.aliases,
        draft.day,
    )


def _chunk(draft: Draft, position: int, included: range) -> Chunk:
    members = draft.sentences[included.start : included.stop]
    first, last = members[0].sentence, members[-1].sentence
    passage = Passage(
        first.passage.start,
        last.passage.end,
        first.passage.start_byte,
        last.passage.end_byte,
        first.passage.first_line,
        last.passage.last_line,
        spanned(member.sentence.passage.place for member in members),
    )
    text = draft.source(included.start, included.stop - 1)
    return Chunk(position, text, members[0].headings, passage, tuple(member.sentence for member in members))


def in_batches(drafts: Iterator[Draft], characters: int) -> Iterator[list[Draft]]:
    """Yields drafts in lists of about so many characters: enough to count at once, without filling memory."""
    batch: list[Draft] = []
    size = 0
    for draft in drafts:
        batch.append(draft)
        size += draft.characters
        if size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


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
