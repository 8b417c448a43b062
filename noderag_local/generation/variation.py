"""Repeats a question for another time or name: "And in April?", "No, I meant Ana Lee", "No, the other Jonas"; no model is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import dropwhile

from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.calendar_names import calendar_words, english_weekdays, full_months
from noderag_local.text.dates.dates_in_text import said_dates

_OPENING = re.compile(
    r"[\s¿¡]*(?:(?:ok|okay|so)\W+)?(?:and|but|what about|how about|und|aber|wie steht es mit|was ist mit|et|mais|y|pero)\b(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"(?:no|nope|nein|nee|non|sorry)\b", re.IGNORECASE)
_MEANING = re.compile(
    r"(?:i mean|i meant|i was asking about|ich meine|ich meinte|je veux dire|je voulais dire|je parle de|me refiero a"
    r"|quiero decir|quise decir)\b",
    re.IGNORECASE,
)
"""Words that begin a turn which says who or which time was meant, one or both. "The other Jonas" needs neither."""
_OTHER = re.compile(
    r"(?:the other|der andere|die andere|den anderen|l['’]autre|el otro|la otra)(?: (?:one|(?P<name>[^\W\d_]+)))?",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?:in|on|of|at|during|for|with|about|im|am|mit|bei|en|au|avec|le|con|el|de|a)\s+", re.IGNORECASE
)
_BEFORE_TIME = re.compile(
    r"\b(?:in|on|at|during|of|for|im|am|en|au|le|el|de|del|du)\s(?:(?:the|la|le|el)\s)?$", re.IGNORECASE
)
_BESIDE_TIME = re.compile(
    r"\b(?:since|before|after|until|till|by|from|to|and|or|seit|vor|nach|bis|ab|von|vom|zum|und|oder|depuis|avant|après|jusqu['’]au"
    r"|à|et|ou|desde|antes|después|hasta|y|o)\s(?:(?:the|dem|der|la|le|del|el|al|de)\s)*$",
    re.IGNORECASE,
)
"""Words before a time that make it a beginning or an end."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"[^\W\d_]+")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_HOLIDAYS = frozenset(
    """christmas xmas easter halloween thanksgiving hanukkah ramadan pentecost carnival weihnachten ostern pfingsten silvester neujahr
    noël pâques pentecôte toussaint navidad navidades pascua nochebuena nochevieja reyes""".split()
)
_ALSO_VERBS = frozenset({"may", "march"})
MOST_WORDS = 5
"""Words of a follow-up beyond which it asks something of its own."""


def varied(question: str, earlier: str, today: date) -> str:
    """Returns the earlier question with the time or the name of the follow-up in place of its own.

    Args:
        question: the follow-up.
        earlier: the question before it, which stands on its own.
        today: day that "last week" is seen from.

    Returns:
        "" where the follow-up is something else, or the earlier question has no such place, or several.
    """
    opening = _OPENING.fullmatch(question)
    rest = opening["rest"].strip(" ?.!¿…,") if opening else ""
    if not rest or len(rest.split()) > MOST_WORDS:
        return ""
    bare = _PREPOSITION.sub("", rest, count=1) if _PREPOSITION.match(rest) else rest
    return _at_another_time(earlier, rest, bare, today) or _of_another_name(earlier, bare)


def corrected(question: str, earlier: str, answer: str, today: date, namesakes: Callable[[str], Sequence[str]]) -> str:
    """Returns the earlier question with the name or time that was meant, where a turn says so: "No, the other Jonas".

    Args:
        question: the turn.
        earlier: the question before it, which stands on its own.
        answer: what was answered to it.
        today: day that "last week" is seen from.
        namesakes: returns the full names of the people with a first name.

    Returns:
        "" where the turn says something else, or it is not clear who is meant.
    """
    turn = " ".join(question.split()).rstrip(" ?.!,")
    denied = _behind(_DENIAL, turn)
    rest = _behind(_MEANING, denied)
    if not rest or len(rest.split()) > MOST_WORDS:
        return ""
    if other := _OTHER.fullmatch(rest):
        return _of_the_other(earlier, answer, other["name"] or "", namesakes)
    # "Nein, danke" names nobody.
    if rest == turn or (rest == denied and " " not in rest and not namesakes(rest)):
        return ""
    bare = rest.removeprefix(found[0]) if (found := _PREPOSITION.match(rest)) else rest
    return _at_another_time(earlier, rest, bare, today) or _of_another_name(earlier, bare)


def _behind(beginning: re.Pattern[str], text: str) -> str:
    """Returns a text without a beginning and the signs behind it."""
    found = beginning.match(text)
    return text[found.end() :].lstrip(" ,.!:–-") if found else text


def _of_the_other(earlier: str, answer: str, first: str, namesakes: Callable[[str], Sequence[str]]) -> str:
    """Returns the earlier question about the other person with the first name of somebody in it; `first` may be ""."""
    named = [run for run in capitalised_runs(earlier) if (first or run[0]) == run[0] and namesakes(run[0])]
    if len(named) != 1:
        return ""
    others = [name for name in namesakes(named[0][0]) if name not in earlier and name not in answer]
    return _replaced(earlier, " ".join(named[0]).rstrip("."), others[0]) if len(others) == 1 else ""


def _replaced(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text)


def _at_another_time(earlier: str, rest: str, bare: str, today: date) -> str:
    known = said_dates(earlier, today)
    if len(known) > 1:
        return ""
    start, end = (known[0].start, known[0].end) if known else _bare_month(earlier)
    told = earlier[start:end]
    if bare.casefold() in full_months():
        month = next((word for word in _WORD.finditer(told) if word[0].casefold() in full_months()), None)
        if not month:
            return ""
        if _has_day(told):
            year = _YEAR.search(told)
            # "3 de marzo de 2026" and "en abril" give "en abril de 2026", but "March 3, 2026" and "in April" "in April 2026".
            between = told[month.end() : year.start()] if year else ""
            since = f"{' ' if _DAY.search(between) else between}{year[0]}" if year else ""
            return _with_other_time(earlier, (start, end), f"{rest}{since}")
        # "March 2025" and "April" give "April 2025".
        return f"{earlier[: start + month.start()]}{bare}{earlier[start + month.end() :]}"
    if _YEAR.fullmatch(bare):
        if _YEAR.search(told):
            return earlier[:start] + _YEAR.sub(bare, told) + earlier[end:]
        return f"{earlier[:end]} {bare}{earlier[end:]}" if told else _with_more(earlier, rest)
    found = said_dates(bare, today)
    if len(found) != 1 or found[0].end - found[0].start < len(bare):
        return ""
    if not told:
        return _with_more(earlier, rest)
    is_like = _has_day(bare) == _has_day(told) and _has_month(bare) == _has_month(told)
    return earlier[:start] + bare + earlier[end:] if is_like else _with_other_time(earlier, (start, end), rest)


def _with_other_time(earlier: str, span: tuple[int, int], time: str) -> str:
    """Returns the earlier question with a time of another kind, which brings its own preposition: "in March", "on 3 May".

    Returns:
        "" where the time in the earlier question begins or ends something: "since March".
    """
    before = earlier[: span[0]]
    if _BESIDE_TIME.search(before):
        return ""
    return _BEFORE_TIME.sub("", before) + time + earlier[span[1] :]


def _has_day(time: str) -> bool:
    return _DAY.search(time) is not None


def _has_month(time: str) -> bool:
    return any(word.casefold() in full_months() for word in _WORD.findall(time))


def _bare_month(text: str) -> tuple[int, int]:
    """Returns where the only name of a month stands; (0, 0) without one."""
    words = [word for word in _WORD.finditer(text) if word[0] not in _ALSO_VERBS]
    months = [word.span() for word in words if word[0].casefold() in full_months()]
    return months[0] if len(months) == 1 else (0, 0)


def _with_more(earlier: str, rest: str) -> str:
    asked = earlier.rstrip(" ?.")
    return f"{asked} {rest}?"


def _of_another_name(earlier: str, bare: str) -> str:
    said = earlier.casefold().split()
    # "And of project Basalt?" after a question about project Heron.
    name = " ".join(dropwhile(lambda word: word.islower() and word in said, bare.split()))
    runs = capitalised_runs(name)
    if len(runs) != 1 or " ".join(runs[0]) != name or _is_time(name):
        return ""
    names = [" ".join(run).rstrip(".") for run in capitalised_runs(earlier)]
    # The first word has a capital letter anyway.
    names = [one for one in names if not _is_month(one) and (" " in one or not earlier.startswith(one))]
    return _replaced(earlier, names[0], name) if len(names) == 1 else ""


def _is_month(name: str) -> bool:
    return name.casefold() in full_months()


def _is_time(name: str) -> bool:
    """Returns whether a name is that of a month or weekday, or has that of a holiday."""
    words = name.casefold().split()
    is_of_calendar = len(words) == 1 and words[0] in calendar_words() | english_weekdays()
    return is_of_calendar or not _HOLIDAYS.isdisjoint(words)
