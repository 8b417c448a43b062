"""Finds dates, years and quantities in a sentence."""

from __future__ import annotations

import re

from noderag_local.domain.graph import EntityKind, Mention
from noderag_local.text.dates.calendar_names import month_names
from noderag_local.text.dates.date_names import ORDINAL, TO

Span = tuple[int, int]

_MONTH = "(?:" + "|".join(sorted(month_names(), key=lambda month: (-len(month), month))) + r")(?!\w)\.?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_TO = rf"(?:/|{TO})"
_DATE = re.compile(
    rf"""\b(?:
      \d{{4}}-\d{{2}}-\d{{2}}
    | (?<![\d/]){_YEAR}/\d{{2}}/\d{{2}}(?!/)
    | (?:\d{{1,2}}{ORDINAL}\.?{_TO})?\d{{1,2}}(?:st|nd|rd|th|º|er|\.)?(?:\s(?:of|de))?\s{_MONTH}(?!\s\d{{1,2}},?\s\d{{4}})(?:(?:,|\sde|\sdel)?\s{_YEAR})?
    | {_MONTH}\s(?:\d{{1,2}}[–-](?=\d{{1,2}},?\s{_YEAR}))?\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s{_YEAR})?(?!\d)
    | {_MONTH}(?:,|\sde|\sof)?\s{_YEAR}
    | \d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}
    | (?<![\d.])(?<![Vv]ersion\s)(?<![Rr]elease\s)(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.[0-4]\d(?!\.\d)
    | (?<![\d,.])(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,4}})\s(?:BCE|BC|AD|CE)\b
    | AD\s\d{{1,4}}
    | \d{{1,2}}(?:st|nd|rd|th)[ -]century
    )(?!\w)""",
    re.VERBOSE,
)
_CJK_DATE = re.compile(r"\d{2,4}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?|\d{1,2}\s?月\s?\d{1,2}\s?日")
_RANGE = re.compile(
    rf"(?P<month>\D*)(?P<first>\d{{1,2}}){ORDINAL}(?P<dot>\.?)(?P<to>{_TO})(?P<last>\d{{1,2}})(?P<rest>(?:st|nd|rd|th|º|er|\.)?,?\s.+)"
)
_ORDINAL_IN_FRONT = re.compile(r"^(?:st|nd|rd|th|º|er|\.)")
_LONE_YEAR = re.compile(rf"(?<![\w$€£¥#.,])(?P<year>{_YEAR})(?P<decade>s)?(?![\w%]|[.,]\d)")
_WORD_BEFORE = re.compile(r"(?<!\w)(?P<word>[^\W\d_]{1,12})(?P<dot>\.?):?\s$")
_WORD_BEHIND = re.compile(r"\s([^\W\d_]{1,12})(?!\w)")
_LONGEST_BEFORE = 16
_BEFORE_AMOUNTS = frozenset(
    "chf eur usd gbp sek nok dkk pln czk huf jpy cad aud nzd cny inr brl mxn ars room zimmer raum salle chambre habitación pin tel telefon phone nr model"
    " modell modelo modèle".split()
)
_BEHIND_AMOUNTS = frozenset(
    "ml cl dl kcal kj mg watt watts ppm rpm dpi px steps schritte pasos words wörter worte mots palabras points punkte puntos".split()
)
_BEFORE_YEARS = frozenset("in im since seit en depuis desde year jahr année año anno".split())
_YEAR_INSIDE = re.compile(rf"(?<!\d){_YEAR}(?!\d)")

_NUMBER = r"\d++(?:[,.\u00a0\u202f]\d++)*+"
_SCALE = r"(?:\s(?:hundred|thousand|million|billion|trillion|Millionen|Milliarden|тыс|млн|млрд)\b|\s?(?:bn|[mMkK])\b)?"
_UNITS = (
    "percent|per cent|Prozent|people|inhabitants|residents|employees|students|dollars|euros|pounds|Euro|Einwohner|"
    "square kilometres|square kilometers|square miles|square feet|kilometres|kilometers|kilometre|kilometer|metres|meters|"
    "metre|meter|miles|mile|feet|foot|inches|acres|hectares|tonnes|tons|kilograms|degrees|km²|km2|km/h|m²|sq mi|sq ft|km|cm|mm|"
    "mi|ft|ha|kg|lb|lbs|mph|kW|MW|GW|kB|KB|MB|GB|TB|Hz|kHz|MHz|GHz|°C|°F|m|g|t|h|млн|тыс"
)
_QUANTITY = re.compile(
    rf"[$€£¥₹₽]\s?{_NUMBER}{_SCALE}|(?<![\w.,$€£¥])(?<!\d[\u00a0\u202f]){_NUMBER}(?:\s?[%€£¥₽]|{_SCALE}\s(?:{_UNITS})(?!\w)|\s?(?:km|kg|°C|°F|GB|MB)(?!\w))"
)
_MAY_HOLD_ONE = re.compile(r"\d")


def dates(text: str) -> list[tuple[Span, Mention]]:
    """Returns dates with at least a month, a day or an era; the year in each of them is a mention of its own.

    "16 June 1957" gives "16 June 1957" and "1957", so that two sentences about one year meet.
    """
    if not _MAY_HOLD_ONE.search(text):
        return []
    found: list[tuple[Span, Mention]] = []
    for pattern in (_DATE, _CJK_DATE):
        for match in pattern.finditer(text):
            found += ((match.span(), Mention(name, EntityKind.DATE)) for name in _days_of(match.group()))
            year = _YEAR_INSIDE.search(match.group())
            if year and year.group() != match.group():
                found.append((match.span(), Mention(year.group(), EntityKind.DATE)))
    return found


def _days_of(name: str) -> list[str]:
    """Returns both days of "3-5 May 2025", and any other date as it is.

    "12-3 May 2025" shows the month alone, but "from 28 to 3 May 2025" the last day.
    """
    both = _RANGE.fullmatch(name)
    if both is None:
        return [name]
    month, rest = both["month"], both["rest"]
    last = f"{month}{both['last']}{rest}"
    if int(both["first"]) < int(both["last"]):
        return [f"{month}{both['first']}{both['dot']}{_ORDINAL_IN_FRONT.sub('', rest)}", last]
    if " " in both["to"]:
        return [last]
    return [_ORDINAL_IN_FRONT.sub("", rest).strip()] if _YEAR_INSIDE.search(rest) and not month else []


def years(text: str) -> list[tuple[Span, Mention]]:
    """Returns years and decades that stand alone, without amounts and numbers that look like one: "2000 ml", "Room 1950"."""
    if not _MAY_HOLD_ONE.search(text):
        return []
    found = (match for match in _LONE_YEAR.finditer(text) if match["decade"] or not _is_amount(text, match))
    return [(match.span(), Mention(match.group(), EntityKind.DATE)) for match in found]


def _is_amount(text: str, number: re.Match[str]) -> bool:
    before = _WORD_BEFORE.search(text, max(0, number.start() - _LONGEST_BEFORE), number.start())
    behind = _WORD_BEHIND.match(text, number.end())
    word = before["word"].casefold() if before else ""
    if word in _BEFORE_AMOUNTS or (before and before["dot"] and word == "no"):
        return True
    return bool(behind and behind[1].casefold() in _BEHIND_AMOUNTS and word not in _BEFORE_YEARS)


def quantities(text: str) -> list[tuple[Span, Mention]]:
    """Returns numbers with a unit, a currency or a percent sign."""
    if not _MAY_HOLD_ONE.search(text):
        return []
    return [(match.span(), Mention(match.group(), EntityKind.QUANTITY)) for match in _QUANTITY.finditer(text)]
