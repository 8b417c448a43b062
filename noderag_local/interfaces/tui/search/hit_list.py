"""The list of what was found, a line for each hit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from noderag_local.interfaces.tui.shared.line_list import LineList, fitted, one_line
from noderag_local.interfaces.tui.shared.marked_words import marked_spans
from noderag_local.system.printing.cited_place import named
from noderag_local.vault.browsing.instant_search import HitKind, SearchHit

KIND_CELLS = 9
DAY_CELLS = 12
PLACE_CELLS = 27
WITH_DAY, WITH_PLACE = 64, 90
"""Minimum widths in cells for a column with the day, and for one with the place in the file; a list in the order of the days has
the first one always."""
BEFORE_WORD = 16
"""Characters of a passage that are shown before its first marked word."""


class HitList(LineList, can_focus=False):
    """Shows why each hit is one, its name or text, its place and its day; the keys reach it from the search line."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-list--marked"}
    DEFAULT_CSS = """
    HitList {
        & > .line-list--marked { text-style: bold; color: $text-accent; }
        & > .line-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.hits: Sequence[SearchHit] = ()
        self._words: Sequence[str] = ()
        self._is_by_day = False
        self._alike: frozenset[str] = frozenset()
        """Names that several documents have."""

    @property
    def hit(self) -> SearchHit | None:
        """The hit under the cursor; None if nothing was found."""
        return self.hits[self.cursor] if self.cursor < len(self.hits) else None

    def show(
        self, hits: Sequence[SearchHit], words: Sequence[str], *, keeps_cursor: bool, is_by_day: bool = False
    ) -> None:
        """Shows other hits.

        Args:
            hits: what was found, in order.
            words: words to mark.
            keeps_cursor: whether the cursor stays on its hit, if that is still listed; else it goes to the first one.
            is_by_day: whether they are in the order of their days.
        """
        before = self.hit if keeps_cursor else None
        self.hits, self._words, self._is_by_day = hits, words, is_by_day
        named = {(hit.path, hit.name) for hit in hits if hit.path}
        self._alike = frozenset(name for name, count in Counter(name for _, name in named).items() if count > 1)
        if before is not None and before in hits:
            self.show_again(len(hits), hits.index(before))
        else:
            self.show_rows(len(hits))

    def cells(self, row: int, width: int) -> Sequence[tuple[str, str]]:
        """Returns the text of a hit's row."""
        hit = self.hits[row]
        kind_cells = 1 if hit.kind is HitKind.CHANGED else KIND_CELLS
        place_cells = PLACE_CELLS if width >= WITH_PLACE else 0
        has_day = width >= WITH_DAY or self._is_by_day or hit.kind is HitKind.CHANGED
        day_cells = DAY_CELLS if has_day else 0
        return [
            (fitted(f" {hit.kind}" if kind_cells > 1 else "", kind_cells), "muted"),
            *_main(
                hit,
                self._words,
                max(0, width - kind_cells - place_cells - day_cells),
                is_alike=hit.name in self._alike and not place_cells,
            ),
            (fitted(f" {_place(hit)}", place_cells), "muted"),
            (fitted(f" {self._day(hit)}", day_cells), "muted"),
        ]

    def _day(self, hit: SearchHit) -> str:
        """Returns the day of the last change if the list is in the order of changes, else the day of the hit."""
        return str(hit.changed) if hit.changed and not self._is_by_day else hit.day_told


def _main(hit: SearchHit, words: Sequence[str], cells: int, *, is_alike: bool) -> list[tuple[str, str]]:
    """Returns the name of a hit, or for a passage a short name and its text from the first marked word on.

    Documents of one name are told apart by their files.
    """
    name = one_line(hit.name)
    if hit.source is not None:
        if is_alike:
            name = one_line(_told_apart(hit))
        name_cells = min(cells // 3, 24)
        text = _from_first_word(one_line(hit.source.text), words)
        return [(fitted(name, name_cells) + " ", "muted"), *_marked(fitted(text, cells - name_cells - 1), words)]
    if hit.alias:
        name = f"{one_line(hit.alias)} → {name}"
    elif hit.kind is HitKind.NAME:
        name = f"{name}  ×{hit.mentions:,}"
    elif is_alike:
        name = f"{name}  {one_line(_told_apart(hit))}"
    return _marked(fitted(name, cells), words)


def _from_first_word(text: str, words: Sequence[str]) -> str:
    spans = marked_spans(text, words)
    if not spans or spans[0][0] <= BEFORE_WORD:
        return text
    start = text.find(" ", spans[0][0] - BEFORE_WORD, spans[0][0])
    return f"…{text[start if start >= 0 else spans[0][0] :]}"


def _marked(text: str, words: Sequence[str]) -> list[tuple[str, str]]:
    cells, at = [], 0
    for start, end in marked_spans(text, words):
        cells += [(text[at:start], ""), (text[start:end], "marked")]
        at = end
    return [*cells, (text[at:], "")]


def _told_apart(hit: SearchHit) -> str:
    """Returns the name of a document's file; if that is the name of the document, its folder's with it."""
    path = PurePath(hit.path)
    return path.stem if path.stem.casefold() != hit.name.casefold() else f"{path.parent.name}/{path.name}"


def _place(hit: SearchHit) -> str:
    if not hit.path:
        return ""
    path = PurePath(hit.path)
    if hit.source is not None:
        return one_line(named(path.name, hit.source.first_line, hit.source.place))
    return one_line(f"{path.parent.name}/{path.name}")
