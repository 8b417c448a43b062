"""Tells whether a few words have a day or a time, so that they can be the answer to "when", and finds the time beside a day."""

from __future__ import annotations

import re

from noderag_local.text.dates.calendar_names import months, weekday_numbers

_NUMBERS = re.compile(
    r"(?<!\d)\d{1,2}\s?[./:-]\s?\d{1,2}(?!\d)|(?<!\d)(?:1\d|20)\d\d(?!\d)|(?<!\d)\d{1,2}\.?\s?(?:[ap]\.?m\b|(?:uhr|uur|h|heures|o['’]clock)\b)"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th)\b|\b(?:at|um|à|a las?|om) \d{1,2}(?!\d)",
    re.IGNORECASE,
)
"""A day, a time or a year in digits."""
_CLOCK = r"\d{1,2}[:h]\d\d(?:\s?[ap]\.?m\b)?|\d{1,2}(?:\.\d\d)?\s?(?:[ap]\.?m\b|(?:uhr|uur|heures|o['’]clock)\b)"
_HAS_CLOCK = re.compile(rf"(?<!\w)(?:{_CLOCK})", re.IGNORECASE)
_HOURS = r"(?:h|hrs?|hours?|std|stunden|heures|horas)"
_BEHIND = re.compile(
    rf"(?:,?\s\(?(?P<weekday>[^\W\d_]{{2,10}})\)?\.?)??,?\s(?P<at>(?:at|um|à|a las?|om|@)\s)?(?:{_CLOCK}|(?<=à\s)\d{{1,2}}\s?h)"
    rf"(?:\s?[-–]\s?(?:{_CLOCK}))?(?!\w|:\d|\s?(?:min(?:s|ut\w{{1,3}})?|km)\b)(?(at)|(?!\s?{_HOURS}\b))",
    re.IGNORECASE,
)
"""A time of day behind a day: " at 10:15", " (Mon) 8:00-9:30". "3 h" alone may be a length of time, as are "5:30 min", "2:15:30" and,
without "at", "5:30 h"."""
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


def with_time_of_day(day: str, text: str) -> str:
    """Returns a day with the time that stands behind it in a text; as it is where it has one, or none stands behind it.

    Args:
        day: words of the text, such as "Feb 4".
        text: "Feb 4 at 10:15, yes start this week" gives "Feb 4 at 10:15". Where the day stands there more than once, nothing tells
            which of them is meant, and it stays as it is.
    """
    # "12 May" does not stand in "112 May".
    places = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(day)}", text)]
    if len(places) != 1 or _HAS_CLOCK.search(day) or not tells_time(day):
        return day
    behind = _BEHIND.match(text, places[0] + len(day))
    if behind is None or (behind["weekday"] and behind["weekday"].casefold() not in weekday_numbers()):
        return day
    return text[places[0] : behind.end()]
