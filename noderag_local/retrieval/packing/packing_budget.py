"""Packs sentences, statements and summaries into a context that never exceeds its token budget.

Pieces are grouped by passage, and each passage is a numbered source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.retrieval.packing.labels import label_over
from noderag_local.retrieval.packing.lead_ins import UNKNOWN, LeadIn, SentenceShape, chunk_headings, may_be_over
from noderag_local.retrieval.packing.shown_days import days_in, shown_days, with_days
from noderag_local.retrieval.packing.whole_words import says
from noderag_local.system.printing.cited_place import spanned
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.dates.document_days import named_day
from noderag_local.text.dates.meant_days import MeantDays
from noderag_local.text.token_estimate import estimated_tokens

GAP = " …"
"""Sign between two sentences of a passage that do not follow each other."""
GAP_TOKENS = 2
_NUMBERED = re.compile(r"\[\d")
"""Beginning of a line that looks like that of a source: in the context it gets a space in front."""
LABEL_TOKENS = 5
"""Tokens of a line break, a bracket, a number of one digit and a bracket; further digits are a token each."""
FEW_WORDS = 8
"""Words of a text below which it means something else in another note: "Visa needed: yes", "Slept well." """
BEST = 5
"""Best pieces among which a heading or list head keeps its place: "Dentist 12 May at 14:30"."""
ROUNDS = 2
"""How often room that exact counting finds is filled."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, statement or summary that may go into the context."""

    node: int
    type: NodeType
    passage: int
    """Pieces of one passage are one source."""
    position: int
    """Reading order within the document."""
    tokens: int
    text: str
    place: Source
    """Place in its file, or of what it was made of."""
    within: int | None = None
    """Node of a sentence that says the same and more; the piece is left out when that sentence is already chosen."""

    @classmethod
    def of_sentence(cls, node: int, passage: int, position: int, tokens: int, place: Source) -> Piece:
        """Makes a piece of a sentence as it stands in the notes."""
        return cls(node, NodeType.SENTENCE, passage, position, tokens, place.text, place)


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed context with its sources and the pieces that were chosen."""

    context: str
    tokens: int
    sources: tuple[Source, ...]
    chosen: tuple[tuple[Piece, int], ...]
    """(piece, number of its source), best piece first."""


ShapeOf = Callable[[Piece], SentenceShape]
"""Function that finds what a piece stands in in its file."""


@dataclass(slots=True)
class _Selection:
    """Pieces chosen so far, best first."""

    shape_of: ShapeOf
    most_passages: int | None = None
    """Number of passages that it may have; None for no limit."""
    pieces: list[Piece] = field(default_factory=list)
    texts: dict[tuple[str, ...], set[tuple[str, ...]]] = field(default_factory=dict)
    """Text of a piece with the day of its file's name, if it is short also with its title → the headings and lead-ins that it depends on."""
    nodes: set[int] = field(default_factory=set)
    passages: dict[int, Piece] = field(default_factory=dict)
    """Chosen passages in the order of their best piece, with that piece."""
    lines: dict[int, set[int]] = field(default_factory=dict)
    """Passage → lines of its chunk that the pieces have, and the headings and lead-ins over them."""
    told: set[tuple[str, int, str]] = field(default_factory=set)
    """(path, record, text) of the titles and headings over the pieces."""
    days: dict[int, list[MeantDays]] = field(default_factory=dict)
    """Days that the relative dates of a piece mean, by its node, for each piece that was looked at closely."""
    last: list[Piece] = field(default_factory=list)
    """Titles, headings and list heads, which come along with what stands under them; offered when all else is."""
    best: frozenset[int] = frozenset()
    """Nodes of the best pieces: a heading or list head among them may be what is asked for, and keeps its place."""
    tokens: int = 0

    def comes_last(self, piece: Piece) -> bool:
        """Whether the piece is a title, heading or list head that a piece under it would bring along."""
        if _is_name(piece):
            return self.shape_of(piece).is_over is not False
        return piece.node not in self.best and may_be_over(piece.text) and bool(self.shape_of(piece).is_over)

    def has_room_for(self, piece: Piece, budget_tokens: int) -> bool:
        """Whether the piece fits with its label, without what else it needs in front of it, which costs more to look up."""
        room = budget_tokens - self.tokens
        # Of a thousand pieces, a label is made only for the few hundred that could fit at all.
        return piece.tokens + GAP_TOKENS <= room and self._tokens_with_label(piece) <= room

    def takes(self, piece: Piece, budget_tokens: int) -> bool:
        """Adds the piece if it says something new; returns False if that does not fit."""
        cost = self.cost(piece)
        fits = self.tokens + cost <= budget_tokens
        if cost and fits:
            self.add(piece, cost)
        return fits

    def cost(self, piece: Piece) -> int:
        """Upper bound of the tokens that the piece adds; 0 for what is there already, or what labels say."""
        if self._is_said(piece) or piece.within in self.nodes or self._is_told(piece):
            return 0
        return self._tokens_with_label(piece) + self._cost_of_surroundings(piece)

    def is_full_for(self, piece: Piece) -> bool:
        """Whether the piece is of a further passage, and there are as many as there may be."""
        return (
            self.most_passages is not None
            and len(self.passages) >= self.most_passages
            and piece.passage not in self.passages
        )

    def days_of(self, piece: Piece) -> list[MeantDays]:
        """Returns the days that the relative dates of a piece mean."""
        if piece.node not in self.days:
            label = label_over(piece.place, [one.text for one in self.headings_of(piece)], piece.text)
            self.days[piece.node] = days_in(piece.text, self.shape_of(piece), label)
        return self.days[piece.node]

    def headings_of(self, piece: Piece) -> tuple[LeadIn, ...]:
        """Returns the headings over a piece, outermost first."""
        headings = self.shape_of(piece).headings
        return chunk_headings(piece.place) if headings is None else headings

    def _cost_of_surroundings(self, piece: Piece) -> int:
        shape, told = self.shape_of(piece), self.lines.get(piece.passage, set())
        headings = [one.in_brackets for one in _unsaid(self.headings_of(piece), piece.text) if one.line not in told]
        lead_ins = [one.text for one in shape.lead_ins if one.line not in told]
        brackets = "()" if shape.is_heading else ""
        days = shown_days(piece.text, self.days_of(piece))
        return sum(map(estimated_tokens, filter(None, (*headings, *lead_ins, brackets, days))))

    def _tokens_with_label(self, piece: Piece) -> int:
        if piece.passage in self.passages:
            return piece.tokens + GAP_TOKENS
        label = label_over(piece.place, (), piece.text)
        digits = len(str(len(self.passages) + 1)) - 1
        return piece.tokens + 1 + LABEL_TOKENS + digits + estimated_tokens(label)

    def _is_said(self, piece: Piece) -> bool:
        """Whether the text of a piece is there already: of the same day, and if it is short, under the same words."""
        under = self.texts.get(_dated_text(piece))
        return under is not None and self._words_over(piece) in under

    def _words_over(self, piece: Piece) -> tuple[str, ...]:
        """Returns the headings and lead-ins that a short piece depends on."""
        if not _is_short(piece):
            return ()
        return tuple(one.text for one in (*self.headings_of(piece), *self.shape_of(piece).lead_ins))

    def _is_told(self, piece: Piece) -> bool:
        """Whether the piece is a title, heading or list head over a sentence that is there."""
        if piece.passage in self.lines:
            shape = self.shape_of(piece)
            if shape.is_over and shape.line in self.lines[piece.passage]:
                return True
        return _is_name(piece) and (piece.place.path, piece.place.record, piece.text) in self.told

    def add(self, piece: Piece, cost: int) -> None:
        self.tokens += cost
        self.pieces.append(piece)
        self.texts.setdefault(_dated_text(piece), set()).add(self._words_over(piece))
        self.nodes.add(piece.node)
        self.passages.setdefault(piece.passage, piece)
        self.lines.setdefault(piece.passage, set()).update(_lines_told(piece, self))
        names = (piece.place.title, *(one.text for one in self.headings_of(piece)))
        self.told.update((piece.place.path, piece.place.record, name) for name in names)

    def drop_last(self) -> None:
        rest = self.pieces[:-1]
        self.pieces, self.texts, self.nodes, self.passages, self.lines, self.tokens = [], {}, set(), {}, {}, 0
        self.told = set()
        for piece in rest:
            self.add(piece, self.cost(piece))


def pack(
    pieces: Sequence[Piece],
    budget_tokens: int,
    count_tokens: Callable[[str], int] | None,
    shape_of: ShapeOf = lambda _: UNKNOWN,
    most_passages: int | None = None,
) -> Packed:
    """Packs the best pieces that fit: sentences of a passage in reading order, the best passage last.

    A small model pays most attention to what stands next to the question. Measured with Qwen2.5-Coder-1.5B on the first 11 or 12 of 100
    training questions of MuSiQue, with three contexts of 1,000 tokens each: F1 28, 27 and 27 with the best passage first,
    38, 50 and 38 with it last.

    Args:
        pieces: best first. One without a letter or digit is left out, and one that does not fit is passed over for a shorter one. One
            whose text is there already is left out, unless the names of the files tell different days, or it has a few words only and its
            title, headings or lead-ins differ.
        budget_tokens: of the whole context, labels and separators included.
        count_tokens: exact; None: the pieces' own counts and an upper bound for the labels stand for it.
        shape_of: finds the lead-ins of a piece; it is asked only where the piece fits with its label.
        most_passages: number of passages that the context may have; None for no limit.
    """
    selection = _Selection(shape_of, most_passages, best=frozenset(piece.node for piece in pieces[:BEST]))
    rest = _fill(selection, pieces, budget_tokens)
    if count_tokens is None:
        _fill_last(selection, budget_tokens)
        return _packed(selection, selection.tokens)
    tokens = count_tokens(_render(selection))
    for _ in range(ROUNDS):
        before = len(selection.pieces)
        rest = _fill(selection, rest, selection.tokens + budget_tokens - tokens)
        if len(selection.pieces) == before:
            break
        tokens = count_tokens(_render(selection))
    if selection.last:
        _fill_last(selection, selection.tokens + budget_tokens - tokens)
        tokens = count_tokens(_render(selection))
    while selection.pieces and tokens > budget_tokens:
        selection.drop_last()
        tokens = count_tokens(_render(selection))
    return _packed(selection, tokens)


def _fill(selection: _Selection, pieces: Sequence[Piece], budget_tokens: int) -> list[Piece]:
    """Adds what fits; returns what did not."""
    rest = []
    for piece in pieces:
        if selection.is_full_for(piece) or not any(map(str.isalnum, piece.text)):
            continue
        if not selection.has_room_for(piece, budget_tokens):
            rest.append(piece)
        elif selection.comes_last(piece):
            selection.last.append(piece)
        elif not selection.takes(piece, budget_tokens):
            rest.append(piece)
    return rest


def _fill_last(selection: _Selection, budget_tokens: int) -> None:
    """Adds the titles, headings and list heads over nothing that is there, as far as they fit."""
    for piece in selection.last:
        if not selection.is_full_for(piece) and selection.has_room_for(piece, budget_tokens):
            selection.takes(piece, budget_tokens)


def _is_name(piece: Piece) -> bool:
    """Whether a piece is the title or a heading of its passage."""
    return piece.text in (piece.place.title, *piece.place.headings)


def _is_short(piece: Piece) -> bool:
    """Whether a piece has so few words that it means something else in another note."""
    return len(piece.text.split(maxsplit=FEW_WORDS)) < FEW_WORDS


def _dated_text(piece: Piece) -> tuple[str, ...]:
    """Returns the text of a piece and the day that its file's name tells, and the title if it is short.

    A diary says "today" of another day in each file. The days of mails do not count: each has the same lines at its end.
    """
    said = (piece.text, str(named_day(piece.place.path)))
    return (*said, piece.place.title) if _is_short(piece) else said


def _grouped(selection: _Selection) -> list[list[Piece]]:
    groups: dict[int, list[Piece]] = {passage: [] for passage in selection.passages}
    for piece in selection.pieces:
        groups[piece.passage].append(piece)
    return [sorted(group, key=lambda piece: piece.position) for group in groups.values()]


def _joined(group: Sequence[Piece]) -> str:
    """Returns the text of a source: its sentences in reading order, on lines of their own where the file has them so."""
    text = group[0].text
    for before, piece in pairwise(group):
        text += _between(before, piece) + piece.text
    return text


def _between(before: Piece, piece: Piece) -> str:
    """Returns the text between two pieces of a source: a line break where the file has one, and a mark if something is left out.

    In a file without lines, a line break separates paragraphs.
    """
    is_below = piece.place.first_line > before.place.last_line
    is_apart = not piece.place.first_line and piece.place.start_byte > before.place.end_byte + 1
    between = "\n" if is_below or is_apart else " "
    return between if piece.position == before.position + 1 else f"{GAP}{between}"


def _placed(group: Sequence[Piece]) -> Iterator[tuple[int, Piece]]:
    """Yields each piece with its start in the text that `_joined` makes."""
    for number, piece in enumerate(group):
        yield len(_joined(group[: number + 1])) - len(piece.text), piece


def _days_in_joined(group: Sequence[Piece], selection: _Selection) -> Iterator[tuple[int, str]]:
    """Yields the end of each relative date in the text that `_joined` makes, and the days that it means."""
    for start, piece in _placed(group):
        yield from ((start + meant.end, str(meant.days)) for meant in selection.days_of(piece))


def _turns_in_joined(group: Sequence[Piece], selection: _Selection) -> Iterator[tuple[int, str]]:
    """Yields the start of each sentence of a conversation in the text that `_joined` makes, and who says it."""
    for start, piece in _placed(group):
        if speaker := selection.shape_of(piece).speaker:
            yield start, speaker


def _unsaid(headings: Sequence[LeadIn], text: str) -> list[LeadIn]:
    return [one for one in headings if not says(text, one.text)]


def _lines_told(piece: Piece, selection: _Selection) -> set[int]:
    """Lines that need not be told again below a piece: its own, and those that stand in front of it."""
    shape = selection.shape_of(piece)
    lines = {one.line for one in (*shape.lead_ins, *_unsaid(selection.headings_of(piece), piece.text))}
    return lines if shape.line is None else {*lines, shape.line}


def _shared_headings(group: Sequence[Piece], selection: _Selection) -> tuple[LeadIn, ...]:
    """Headings over all pieces of a source, outermost first."""
    of_each = zip(*(selection.headings_of(piece) for piece in group), strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, of_each))


def _understood(group: Sequence[Piece], selection: _Selection) -> str:
    """Text of a source in the context: its sentences in reading order, each lead-in once, in front of the first that needs it.

    Lines of the file stay lines: a small model mixes up the items of a list that stand in one. Behind relative dates stand the
    days that they mean. A heading stands in brackets, and where it is over all sentences, in the label.
    """
    text, lines = "", {one.line for one in _shared_headings(group, selection)}
    for before, piece in zip([None, *group], group, strict=False):
        shape = selection.shape_of(piece)
        if before:
            text += _between(before, piece)
        headings = [one for one in _unsaid(selection.headings_of(piece), piece.text) if one.line not in lines]
        said = f"({piece.text})" if shape.is_heading else with_days(piece.text, selection.days_of(piece))
        over = (*(one.in_brackets for one in headings), *(one.text for one in shape.lead_ins if one.line not in lines))
        said = " ".join([*over, said])
        text += f" {said}" if text.endswith("\n") and _NUMBERED.match(said) else said
        lines |= _lines_told(piece, selection)
    return text


def _render(selection: _Selection) -> str:
    lines = []
    for number, (group, best) in enumerate(zip(_grouped(selection), selection.passages.values(), strict=True), 1):
        said = " ".join(piece.text for piece in group if piece is best or selection.shape_of(piece).is_heading)
        label = label_over(best.place, [one.text for one in _shared_headings(group, selection)], said)
        lines.append(f"[{number}] " + f"({label}) " * bool(label) + _understood(group, selection))
    # A source keeps its text as the vault has it; what a language model is to read has nothing that a person does not see.
    return printable("\n".join(reversed(lines)))


def _packed(selection: _Selection, tokens: int) -> Packed:
    sources = tuple(_source(number, group, selection) for number, group in enumerate(_grouped(selection), 1))
    number_of = {passage: number for number, passage in enumerate(selection.passages, 1)}
    chosen = tuple((piece, number_of[piece.passage]) for piece in selection.pieces)
    return Packed(_render(selection), tokens, sources, chosen)


def _source(number: int, group: Sequence[Piece], selection: _Selection) -> Source:
    places = [piece.place for piece in group]
    return Source(
        number=number,
        path=places[0].path,
        record=places[0].record,
        title=places[0].title,
        headings=tuple(one.text for one in _shared_headings(group, selection)),
        first_line=min(place.first_line for place in places),
        last_line=max(place.last_line for place in places),
        start_byte=min(place.start_byte for place in places),
        end_byte=max(place.end_byte for place in places),
        text=_joined(group),
        days=tuple(_days_in_joined(group, selection)),
        turns=tuple(_turns_in_joined(group, selection)),
        place=spanned(place.place for place in sorted(places, key=lambda place: place.start_byte)),
        day=places[0].day,
    )
