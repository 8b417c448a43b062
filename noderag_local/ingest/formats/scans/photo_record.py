"""Defines what is known of a photo from the data in its file, and the forms of dates and texts in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.ingest.formats.block_writer import folded_text

_DAY = re.compile(r"(\d{4})[:-]?(\d\d)[:-]?(\d\d)(?:[T ](\d\d):(\d\d))?")


@dataclass(frozen=True, slots=True)
class PhotoData:
    """Data of one picture; "" and () where there are none."""

    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    taken: str = ""
    """Day, and the time of the camera's clock if it is known: "2024-05-03 14:30"."""
    place_names: tuple[str, ...] = ()
    """Names of the place, the smallest first, as a person or their program wrote them."""
    coordinates: str = ""
    """Latitude and longitude in degrees: "38.7223° N, 9.1393° W"."""
    camera: str = ""

    @property
    def has_words(self) -> bool:
        """Whether a person wrote something about the picture."""
        return bool(self.title or self.description or self.keywords or self.people)


def moment(value: object) -> str:
    """Returns a moment as a person writes it: "2024-05-03 14:30" for "2024:05:03 14:30:11", and the day for "20240503"; "" for what is no date."""
    found = _DAY.match(str(value or "").strip())
    if found is None:
        return ""
    year, month, day, hour, minute = found.groups()
    if not ("1800" <= year <= "2199" and "01" <= month <= "12" and "01" <= day <= "31"):
        return ""
    return f"{year}-{month}-{day} {hour}:{minute}" if hour and minute else f"{year}-{month}-{day}"


def folded_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns texts on one line each, the filled ones, each once."""
    return tuple(dict.fromkeys(filter(None, map(folded_text, texts))))
