"""Splits text into sentences, as spans.

The cutting is sentencex's (MIT, Wikimedia, abbreviation lists for some 300 languages); a thin layer mends what it
gets wrong. Measured on 42 hard cases in 14 languages (tests/text/test_sentences.py holds most of them) and on
6,761 English paragraphs with 3.3 million characters, one core:

    library              right   seconds
    syntok 1.4.4            27       2.7
    pysbd 0.3.4             28      15.7
    nupunkt 0.8.0           29       0.3
    sentencex 1.0.32        34      0.04
    this module             42       0.5
"""

from __future__ import annotations

import itertools
import re

import sentencex  # type: ignore[import-untyped]  # ships no types

from noderag_local.text.languages import is_surely_not_german, language_of

MAX_CHARACTERS = 1200
"""Most characters of a sentence: about 300 English tokens, so that the longest still fits a chunk."""
MAX_UNSPACED_CHARACTERS = 300
"""Most characters of a sentence in scripts that need about one token per character."""
WINDOW = 8192
"""sentencex is quadratic in unbalanced quotes (3 MB of them took 137 s), so it never sees more than this at once."""

Span = tuple[int, int]

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NOT_SPACE = re.compile(r"\S")

# Where sentencex cuts too little: after an ellipsis, after a closing bracket, where the space is missing.
_SPLIT = re.compile(
    r"""(?:
        (?<=\.\.\.)[ \n]+(?=[A-ZÀ-ÞΑ-ΩА-Я]['’]?[\w])       # Wait... What
      | (?<=…)[ \n]+(?=[A-ZÀ-ÞΑ-ΩА-Я]['’]?[\w])
      | (?<=[a-z][ ]no\.)[ \n]+(?=[A-Z])                  # He said no. Then
      | (?<=[.!?]\))[ \n]+(?=["“«]?[A-ZÀ-ÞΑ-ΩА-Я])        # (It did.) We
      | (?<=[a-zà-ÿ]{3}[.!?])(?=(?:The|This|These|It|In|He|She|They|A|An|On|At|For|His|Her|As|But|By|After)[ ])
    )""",
    re.VERBOSE,
)
_GREEK_QUESTION = re.compile(r"(?<=[;\u037e])[ \n]+(?=[Α-ΩΆ-Ώ])")
_SPLIT_HINTS = ("...", "…", ".)", "!)", "?)", " no.")
_GLUED = re.compile(r"[a-zà-ÿ]{3}[.!?][A-Z]")

# Where it cuts too much. Each pair: how the left piece ends, how the right one starts.
_ONLY_INITIALS = re.compile(r"(?:[A-ZÀ-ÞА-ЯΑ-Ω]\.[ \-]?)+$")
_INITIAL = re.compile(r"(?:^|[\s.(\"“«-])[B-HJ-NP-XZÀ-ÞА-ЮΑ-Ω]\.$")
_ORDINAL = re.compile(
    r"(?:^|[\s(])(?:am|im|der|die|das|den|dem|des|vom|zum|zur|beim|seit|ab|bis|und|oder|ein|eine|einen|einem|einer|"
    r"ihr|sein|ihre|seine|jeder|jede|jedes|diesem|von|nach|vor|–|-)\s\d{1,3}\.$|(?:^|\s)\d{1,2}\.(?:/|–|-)\d{1,2}\.$",
    re.IGNORECASE,
)
_DATE_WORD = re.compile(
    r"(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jahrtausend|Weltkrieg|Lebensjahr|Klasse|Kapitel|Platz|Stock|Januar)"
)
# Short German notes are taken for other languages, so these hold in all of them.
_DAY_NUMBER = re.compile(r"(?<![\w.,])\d{1,2}\.$")
_DAY_BEHIND_WORD = re.compile(
    r"(?<!\w)(?:vom|zum|bis|ab|seit|am|den|dem|geb\.|gest\.|und|[–-]|\d{1,2}\.[–-])\s?\d{1,2}\.$", re.IGNORECASE
)
_GERMAN_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|Mär|Mai|Juni|Juli|Oktober|Okt|Dezember|Dez)(?!\w)\.?(?P<year>\s\d{4})?"
)
_SHARED_MONTH = re.compile(
    r"(?:April|August|September|November|Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Nov)(?!\w)\.?(?P<shows>\s\d{4}|:)?"
)
"""Months that English has, too: "We scored 10. April was cold." """
_REST_OF_DATE = re.compile(r"(?:0?[1-9]|1[0-2])\.\s?(?:1\d|20)\d{2}(?!\w)")
"""A month and a year behind a day. "10.30" is rather a time or a price."""
_DAY_AND_MONTH = re.compile(r"(?<![\w.,])\d{1,2}\.\s?\d{1,2}\.$")
_DAY_IN_FRONT = re.compile(
    r"\W{0,6}(?:(?:Mo|Di|Mi|Do|Fr|Sa|So|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|am|ab|bis|den|seit)[.,]{0,2}\s)?"
    r"\d{1,2}\.\d{1,2}\.",
    re.IGNORECASE,
)
"""A sentence of nothing else is the front of an entry: "Fr 3.5. Zahnarzt"."""
_GOES_ON_BEHIND_DAY = re.compile(r"[:,;]|[a-zäöü]|\d{1,2}[:.]\d{2}(?!\w)")
_AROUND = 300
"""Characters before and behind a full stop that tell the language there."""
_YEAR = re.compile(r"(?:19|20)\d{2}(?!\w)")
_BORN_OR_DIED = re.compile(r"(?<!\w)(?:geb|gest)\.$", re.IGNORECASE)
_RUSSIAN = re.compile(
    r"(?:^|[\s(])(?:г|гг|в|вв|т|д|п|пп|им|ул|пр|стр|тыс|млн|млрд|руб|коп|см|др|н|э|род|ум|ок|акад|проф|ред|изд|кн)\.$"
)
_LOWER = re.compile(r"[\"“«(]?[a-zа-яёà-ÿ]")
_SHORT_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[^\W\d_]\.\s?){1,3}$")
_NAME_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“«])(?:Sr|Sra|Srta|Dra|Dr|Prof|Mr|Mrs|Ms|St|Ste|Mt|Ft|Gen|Col|Lt|Sgt|Capt|Cpt|Maj|Cmdr|Adm|Rev|Hon|Gov|Sen|Rep|Pres|"
    r"Mme|Mlle|Me|MM|No|Nr|Nos|Vol|Fig|pp|vs|cf|ca|approx|bzw|ggf|vgl|evtl|sog|usw|z|u|o|d|Bd|Abb|Op|op|feat|ft)\.$"
)
_NUMBER_SIGN = re.compile(r"(?:^|[\s(])(?:No|Nr|Nos|pp|p|Vol|Fig|Op|Bd|Abb|ca|vs|approx)\.$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_QUOTE_GOES_ON = re.compile(r"(?:と|って|など|という|との|は|が|を|に|も|の)")
_CLOSING_ONLY = re.compile(r"[\s\"'”’»)\]」』】）.!?。！？…]{1,3}$")
_NOTE = re.compile(r"(?:\[[^\[\]]{1,8}\])+")
_ENDS_OPEN = re.compile(r"[\w,\-–—(]$")
_UPPER = re.compile(r"[\"“«(]?[A-ZÀ-ÞА-ЯΑ-Ω]")

_CUT_PLACES = (re.compile(r"[;；]\s?|[:：]\s"), re.compile(r"[,，、،]\s?"), re.compile(r"\s"))


def split_sentences(text: str, language: str = "") -> list[Span]:
    """Returns the spans of the sentences of one block, in order; together they cover every character but white space.

    Args:
        text: a paragraph, list item or the like; line ends in it are no boundaries.
        language: ISO 639-1 code; empty: guessed from the text.
    """
    language = language or language_of(text)
    spans: list[Span] = []
    for start, end in _windows(text):
        spans += _cut_window(text, start, end, language)
    if len(text) <= MAX_UNSPACED_CHARACTERS:
        return spans
    return [piece for span in spans for piece in bounded(text, *span)]


def bounded(text: str, start: int, end: int) -> list[Span]:
    """Returns the span, cut at the best places into pieces of bounded length without outer white space."""
    pieces: list[Span] = []
    while end - start > MAX_UNSPACED_CHARACTERS:
        unspaced = len(_UNSPACED.findall(text, start, min(end, start + MAX_CHARACTERS)))
        limit = MAX_UNSPACED_CHARACTERS if 4 * unspaced > min(end - start, MAX_CHARACTERS) else MAX_CHARACTERS
        if end - start <= limit:
            break
        cut = _best_cut(text, start, start + limit)
        pieces += _stripped(text, start, cut)
        start = cut
    return pieces + _stripped(text, start, end)


def _best_cut(text: str, start: int, end: int) -> int:
    """Returns the place after the last semicolon of the second half, else comma, else space; else the end."""
    for pattern in _CUT_PLACES:
        places = [match.end() for match in pattern.finditer(text, start + (end - start) // 2, end)]
        if places:
            return places[-1]
    return end


def _windows(text: str) -> list[Span]:
    """Returns stretches of at most WINDOW characters, cut after a full stop and space, else at white space."""
    windows, start = [], 0
    while len(text) - start > WINDOW:
        limit, half = start + WINDOW, start + WINDOW // 2
        cut = max(text.rfind(mark, half, limit) + len(mark) for mark in (". ", ".\n", "。", "؟ ", "। ", "\n\n"))
        if cut <= half:
            cut = max(text.rfind(" ", half, limit), text.rfind("\n", half, limit)) + 1
        cut = cut if cut > half else limit
        windows.append((start, cut))
        start = cut
    windows.append((start, len(text)))
    return windows


def _cut_window(text: str, start: int, end: int, language: str) -> list[Span]:
    spans: list[Span] = []
    window = text if (start, end) == (0, len(text)) else text[start:end]
    for found in sentencex.get_sentence_boundaries(language, window):
        piece = _stripped(text, start + found["start_index"], start + found["end_index"])
        if not piece:
            continue
        note = _NOTE.match(text, *piece[0])
        if note and spans and spans[-1][1] == piece[0][0]:
            # A reference that touches the full stop belongs to the sentence before it.
            spans[-1] = (spans[-1][0], note.end())
            piece = _stripped(text, note.end(), piece[0][1])
            if not piece:
                continue
        if spans and _belongs_together(text, spans[-1], piece[0], language):
            spans[-1] = (spans[-1][0], piece[0][1])
        else:
            spans += piece
    return [part for span in spans for part in _split_further(text, span, language)]


def _belongs_together(text: str, left: Span, right: Span, language: str) -> bool:
    """Returns whether a boundary of sentencex is wrong."""
    if "\n\n" in text[left[1] : right[0]]:
        return False
    before = text[max(left[0], left[1] - 40) : left[1]]
    after = text[right[0] : right[0] + 40]
    if _CLOSING_ONLY.match(text[right[0] : min(right[1], right[0] + 40)]):
        return True
    if _ENDS_OPEN.search(before):
        # sentencex takes "- 30) " inside a line for an item of a numbered list.
        return "\n" not in text[left[1] : right[0]]
    if before.endswith(("」", "』")):
        return language == "ja" and bool(_QUOTE_GOES_ON.match(after))
    if not before.endswith("."):
        return before.endswith(("!", "?")) and after[0].islower()  # "Yahoo! is", "the Impulse! label"
    if _UPPER.match(after) and (_ONLY_INITIALS.match(before) or (language != "en" and _INITIAL.search(before))):
        return True
    around = text[max(left[0], left[1] - _AROUND) : right[0] + _AROUND]
    if _is_inside_german_date(before, after, around):
        return True
    if language == "de" and _DIGIT.search(before[-4:]):
        return bool(_ORDINAL.search(before) or _DATE_WORD.match(after))
    if _RUSSIAN.search(before) and (_LOWER.match(after) or not before.endswith(" г.")):
        return True
    if _NAME_ABBREVIATION.search(before) and (_UPPER.match(after) or _LOWER.match(after)):
        return True
    if _NUMBER_SIGN.search(before) and _DIGIT.match(after):
        return True
    return bool(_SHORT_ABBREVIATION.search(before) and _LOWER.match(after))


def _is_inside_german_date(before: str, after: str, around: str) -> bool:
    """Returns whether a full stop stands behind a day, a month or a short word of a date: "vom 3. bis 5. Mai", "geb. 3. 5. 1980"."""
    if _BORN_OR_DIED.search(before):
        return bool(_DIGIT.match(after))
    if _DAY_AND_MONTH.search(before) and (_YEAR.match(after) or _GOES_ON_BEHIND_DAY.match(after)):
        return True
    if _DAY_IN_FRONT.fullmatch(before):
        return True
    if not _DAY_NUMBER.search(before):
        return False
    if _DAY_BEHIND_WORD.search(before) and (
        _GERMAN_MONTH.match(after) or _SHARED_MONTH.match(after) or after[0].islower()
    ):
        return True
    return bool(_REST_OF_DATE.match(after)) or _is_german_month(after, around)


def _is_german_month(after: str, around: str) -> bool:
    """Returns whether the month of a date stands behind a day, and no name or month that begins a sentence, as in "We are 4. Mai came"."""
    german, shared = _GERMAN_MONTH.match(after), _SHARED_MONTH.match(after)
    if german and german["year"]:
        return True
    return bool(german or (shared and shared["shows"])) and not is_surely_not_german(around)


def _split_further(text: str, span: Span, language: str) -> list[Span]:
    """Returns the boundaries that sentencex misses."""
    start, end = span
    sentence = text[start:end]
    cuts: list[int] = []
    if any(hint in sentence for hint in _SPLIT_HINTS) or _GLUED.search(sentence):
        cuts += (match.end() for match in _SPLIT.finditer(text, start, end))
    if language == "el":
        cuts += (match.end() for match in _GREEK_QUESTION.finditer(text, start, end))
    if not cuts:
        return [span]
    edges = [start, *sorted(cuts), end]
    return [piece for left, right in itertools.pairwise(edges) for piece in _stripped(text, left, right)]


def _stripped(text: str, start: int, end: int) -> list[Span]:
    """Returns the span without outer white space, as a list of one; empty where it has nothing else."""
    first = _NOT_SPACE.search(text, start, end)
    if first is None:
        return []
    while text[end - 1].isspace():
        end -= 1
    return [(first.start(), end)]
