"""Splits the blocks of a document into sentences with their places in the file."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from noderag_local.domain.documents import BlockKind, Passage, Sentence, WikiLink
from noderag_local.ingest.chunks.parsed_document import Block, DraftSentence, Fragment, Marker, breadcrumb
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.sentences import Span, bounded, split_sentences

MAX_CODE_CHARACTERS = 2000
"""Maximal number of characters of an uncut code fence; longer ones are cut at line ends."""

MOST_NOTE_FORM_WORDS = 8
"""Words of the longest list item that may be cut by nothing but abbreviations."""
LEAST_SENTENCE_WORDS = 3
"""A shorter piece of such an item is no sentence."""

_SPACE = re.compile(r"\s+")
_SPACE_TO_FOLD = re.compile(r"\s\s|[^\S ]")


Locate = Callable[[Sequence[Span]], list[Passage]]
"""Function that turns stretches of a text into their places in the file."""


def sentences_of(text: str, blocks: Sequence[Block], language: str, locate: Locate) -> tuple[DraftSentence, ...]:
    """Returns the sentences of a document in order.

    Args:
        text: text that the offsets of the blocks point into.
        blocks: blocks in order, without overlap.
        language: see `split_sentences`.
        locate: finds places in the file; called once, with the span of every sentence.
    """
    pieces = [(block, piece) for block in blocks for piece in _pieces(text, block, language)]
    passages = locate([(piece.start, piece.end) for _, piece in pieces])
    sentences: list[DraftSentence] = []
    last: Block | None = None
    markers: list[Marker] = []
    headings: tuple[str, ...] = ()
    for position, ((block, piece), passage) in enumerate(zip(pieces, passages, strict=True)):
        if block is not last:
            markers = sorted(block.markers, key=_start)
            headings = breadcrumb(block.headings)
        links, tags = _marked(markers, piece)
        sentence = Sentence(position, piece.text, block.kind, passage, links, tags)
        sentences.append(DraftSentence(sentence, piece.start, piece.end, headings, block is not last))
        last = block
    return tuple(sentences)


def _pieces(text: str, block: Block, language: str) -> list[Fragment]:
    """Returns the sentences of a block as fragments: what is shown, and the stretch of source it stands for.

    Hidden letters stay in the stretch and are not shown, so that a word that holds one is found.
    """
    return [piece for piece in _cut(text, block, language) if piece.text]


def _cut(text: str, block: Block, language: str) -> list[Fragment]:
    if block.kind is BlockKind.CODE:
        return _code_pieces(text, block)
    if block.fragments is None:
        source = text[block.start : block.end]
        spans = split_sentences(source, language)
        return [Fragment(_folded(source[a:b]), block.start + a, block.start + b) for a, b in spans]
    shown = block.shown_in(text)
    whole = block.kind in (BlockKind.HEADING, BlockKind.TABLE_ROW)
    spans = bounded(shown, 0, len(shown)) if whole else split_sentences(shown, language)
    if block.kind is BlockKind.LIST_ITEM and _is_note_form(shown, spans):
        spans = bounded(shown, 0, len(shown))
    return _with_markup(text, block, shown, spans)


def _is_note_form(shown: str, spans: Sequence[Span]) -> bool:
    """Returns whether the dots of a short list item are those of abbreviations: "allerg. gg. Senf" is one statement."""
    words = [len(shown[start:end].split()) for start, end in spans]
    if len(words) < 2 or sum(words) > MOST_NOTE_FORM_WORDS:
        return False
    # Who begins with a capital begins every sentence so: "Ole abds. zu Besuch".
    goes_on = shown[:1].isupper() and any(shown[start].islower() for start, _ in spans[1:])
    return goes_on or min(words) < LEAST_SENTENCE_WORDS


def _with_markup(text: str, block: Block, shown: str, spans: list[Span]) -> list[Fragment]:
    """Returns spans of the shown text as stretches of source; together they hold all of the block's markup.

    Markup between two sentences goes to the one it touches: `**A b.** _C d._` → `**A b.**`, `_C d._`.
    """
    if not spans:
        return []
    places = _Places(block.fragments or ())
    inner = [(places.start_of(a), places.end_of(b)) for a, b in spans]
    edges = [block.start]
    for (_, left), (right, _) in itertools.pairwise(inner):
        space = _SPACE.search(text, left, right)
        edges += (space.start(), space.end()) if space else (right, right)
    edges.append(block.end)
    return [Fragment(_folded(shown[a:b]), edges[2 * index], edges[2 * index + 1]) for index, (a, b) in enumerate(spans)]


class _Places:
    """Map from characters of the shown text to the source."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._fragments = fragments
        self._starts: list[int] = []
        at = 0
        for fragment in fragments:
            self._starts.append(at)
            at += len(fragment.text)

    def start_of(self, position: int) -> int:
        """Returns where the character at `position` starts in the source."""
        index = bisect_right(self._starts, position) - 1
        fragment = self._fragments[index]
        if len(fragment.text) != fragment.end - fragment.start:
            return fragment.start
        return fragment.start + position - self._starts[index]

    def end_of(self, position: int) -> int:
        """Returns where the character before `position` ends in the source."""
        index = bisect_right(self._starts, position - 1) - 1
        fragment = self._fragments[index]
        if len(fragment.text) != fragment.end - fragment.start:
            return fragment.end
        return fragment.start + position - self._starts[index]


def _code_pieces(text: str, block: Block) -> list[Fragment]:
    """Returns a code fence whole; a very long one is cut at line ends, or anywhere if it has none."""
    pieces: list[Fragment] = []
    start = block.start
    while start < block.end:
        end = min(start + MAX_CODE_CHARACTERS, block.end)
        if end < block.end:
            end = text.rfind("\n", start + 1, end) + 1 or end
        shown = text[start:end].strip("\n")
        if shown.strip():
            lead = len(text[start:end]) - len(text[start:end].lstrip("\n"))
            pieces.append(Fragment(printable(shown), start + lead, start + lead + len(shown)))
        start = end
    return pieces


def _start(marker: Marker) -> int:
    return marker.start


def _marked(markers: Sequence[Marker], piece: Fragment) -> tuple[tuple[WikiLink, ...], tuple[str, ...]]:
    """Returns the links and tags of one sentence, each once, in order; the markers are sorted."""
    if not markers:
        return (), ()
    # By halves, since a file can have a paragraph of a hundred thousand sentences with a link each.
    first, end = (bisect_left(markers, at, key=_start) for at in (piece.start, piece.end))
    inside = markers[first:end]
    links = dict.fromkeys(marker.link for marker in inside if marker.link is not None)
    tags = dict.fromkeys(marker.tag for marker in inside if marker.tag)
    return tuple(links), tuple(tags)


def _folded(text: str) -> str:
    seen = printable(text)
    if seen != text:
        text = seen.strip()
    return _SPACE.sub(" ", text) if _SPACE_TO_FOLD.search(text) else text
