"""Tells whether a few words have a day or a time, so that they can be the answer to "when"."""

from __future__ import annotations

import re

from noderag_local.text.dates.calendar_names import months, weekday_numbers

_NUMBERS = re.compile(
    r"(?<!\d)\d{1,2}\s?[./:-]\s?\d{1,2}(?!\d)|(?<!\d)(?:1\d|20)\d\d(?!\d)|(?<!\d)\d{1,2}\.?\s?(?:[ap]\.?m\b|(?:uhr|uur|h|heures|o['’]clock)\b)"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th)\b|\b(?:at|um|à|a las?|om) \d{1,2}(?!\d)",
    re.IGNORECASE,
)
"""A day, a time or a year in digits."""
_WORD = re.compile(r"[^\W\d_]+")
_TIMES = frozenset(
    """
    today tomorrow yesterday tonight morning mornings afternoon evening evenings night nights noon midnight weekend weekends weekly monthly
    yearly daily hourly spring summer autumn fall winter christmas xmas easter always never now soon century
    heute morgen gestern morgens vormittags mittags nachmittags abends nachts abend nacht mittag mitternacht täglich wochenende
    wöchentlich monatlich jährlich frühling frühjahr sommer herbst winter weihnachten ostern pfingsten immer nie jetzt bald jahrhundert
    aujourd demain hier matin midi soir nuit minuit printemps été automne hiver noël pâques toujours jamais maintenant bientôt siècle
    hoy mañana ayer tarde noche mediodía medianoche primavera verano otoño invierno navidad siempre nunca ahora siglo
    vandaag gisteren ochtend middag avond zomer herfst kerst pasen altijd nooit eeuw
    """.split()
)
"""Words in English, German, French, Spanish and Dutch that can be the answer to "when", beside the names of days and months."""


def tells_time(text: str) -> bool:
    """Returns whether a few words have a day, a time of day or of the year, or a year."""
    words = {word.casefold() for word in _WORD.findall(text)}
    # "Thursdays", "donnerstags".
    names = words | {word.removesuffix("s") for word in words}
    is_named = any(word in months() or word in weekday_numbers() for word in names)
    return is_named or not words.isdisjoint(_TIMES) or _NUMBERS.search(text) is not None
