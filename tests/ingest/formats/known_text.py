"""Documents whose words are known, and how much of them a reader finds."""

from __future__ import annotations

import importlib
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.registry import format_of

DOCUMENTS = Path(__file__).parents[2] / "data" / "formats"

_CJK = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def extracted(path: Path) -> ExtractedDocument:
    """Returns the one document of a file."""
    reader = importlib.import_module(format_of(path.name).full_module)
    with path.open("rb") as file:
        (document,) = reader.EXTRACTOR.read(file, path.name)
    assert isinstance(document, ExtractedDocument)
    return document


def words(text: str) -> list[str]:
    """Words of a text in order; each sign of a script without spaces is one."""
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def known_words(*, with_cjk: bool = True) -> list[str]:
    found = words((DOCUMENTS / "known.txt").read_text(encoding="utf-8"))
    return found if with_cjk else [word for word in found if not re.match(f"[{_CJK}]", word)]


def recall(known: Sequence[str], document: ExtractedDocument) -> float:
    """Share of the known words that the document has, each as often as it is known."""
    found = Counter(word for block in document.blocks for word in words(block.text))
    return sum((Counter(known) & found).values()) / len(known)


def order_kept(known: Sequence[str], document: ExtractedDocument) -> float:
    """Longest common subsequence of the known words and the document's, as a share of the known words.

    By patience over the pairs of equal words: the longest rising run of places is the longest common subsequence.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(word for block in document.blocks for word in words(block.text)):
        places[word].append(place)
    ends: list[int] = []
    for word in known:
        for place in reversed(places[word]):
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends) / len(known)
