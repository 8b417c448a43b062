"""Defines the metadata of a photo and how their dates and texts are cleaned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.ingest.formats.block_writer import folded_text

_DAY = re.compile(r"(\d{4})[:-]?(\d\d)[:-]?(\d\d)(?:[T ](\d\d):(\d\d))?")


@dataclass(frozen=True, slots=True)
class PhotoData:
    """Metadata of one picture; missing values are "" or ()."""

    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    taken: str = ""
    """Day, and the time of the camera's clock if known: "2024-05-03 14:30"."""
    place_names: tuple[str, ...] = ()
    """Names of the place, the smallest area first, as the file has them."""
    coordinates: str = ""
    """Latitude and longitude in degrees: "38.7223° N, 9.1393° W"."""
    camera: str = ""

    @property
    def has_words(self) -> bool:
        """Whether a person wrote something about the picture."""
        return bool(self.title or self.description or self.keywords or self.people)


def moment(value: object) -> str:
    """Returns a readable time, "2024-05-03 14:30" for "2024:05:03 14:30:11"; only the day for "20240503"; "" for an invalid date."""
    found = _DAY.match(str(value or "").strip())
    if found is None:
        return ""
    year, month, day, hour, minute = found.groups()
    if not ("1800" <= year <= "2199" and "01" <= month <= "12" and "01" <= day <= "31"):
        return ""
    return f"{year}-{month}-{day} {hour}:{minute}" if hour and minute else f"{year}-{month}-{day}"


def folded_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns the non-empty texts, each on one line and without duplicates."""
    return tuple(dict.fromkeys(filter(None, map(folded_text, texts))))
