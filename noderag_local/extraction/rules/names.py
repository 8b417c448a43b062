"""Finds names in a sentence: runs of capitalised words, titles in quotation marks, and names in scripts without capitals.

For the last, the rules are modest on purpose, as they have no dictionary: katakana runs, Latin names, Han runs that end like the
name of a place or an organisation, and what one document says again and again between its particles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache

from noderag_local.text.dates.calendar_names import calendar_words
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.letters import marks, uncased, upper
from noderag_local.text.stopwords import every_stop_word, stop_words

_NAME_STARTS = "may mine don't put us will can last say same la le el de der san das les los las du del los von van"
"""Stop words of one language that start names, or are names or months, in another."""
_FIRST_NAMES = frozenset("ella mia dan ben sue una li else".split())
"""Stop words of one language that are first names in another: names inside of a sentence, and in front of a name that opens one."""
_ARTICLES = frozenset(["una"])
"""First names that are articles elsewhere: one that opens a sentence belongs to the name behind it only if the document says so."""

Span = tuple[int, int]

MAX_WORDS = 10
"""Most words of a name; a longer run is a headline in capitals."""

_ABBREVIATION = r"(?:St|Ste|Dr|Mr|Mrs|Ms|Mt|Ft|Prof|Gen|Col|Lt|Sgt|Capt|Maj|Adm|Rev|Hon|Gov|Sen|Rep|Jr|Sr|Bros|Co|Corp|Inc|Ltd|No|Vol|Op)\."
_OPENING = rf"(?:On|Off|Over|Under|Into|Behind|Beyond|Through|Around|Across|Up|Down|Out) the(?= [{upper()}])"
_WORD = (
    rf"(?:(?:[{upper()}]\.-?)+[{upper()}](?:\.|(?![\w.]))|{_ABBREVIATION}|{_OPENING}|[{upper()}]\.(?=[\s-]?[{upper()}])"
    rf"|[{upper()}]{{1,5}}(?:[/&][{upper()}]{{1,5}})+(?!\w)"
    rf"|(?:[dDlL]['’])?[{upper()}]\w*(?:['’]\w+|-(?:\w+-){{0,3}}[{upper()}\d]\w*)*['’]?|[a-z]{{1,3}}[{upper()}]\w+|(?:al|el|an|ar|as|ash|at|az|bin|ibn)-[{upper()}]\w*|\d{{1,2}}(?:st|nd|rd|th)(?=\s[{upper()}])"
    rf"|\d+[{upper()}]\w*)"
)
_PARTICLE = (
    r"(?:of the|of|the(?= (?:Great|Elder|Younger|Terrible|Conqueror|Wise|Bold|Magnificent|First|Second|Third|Good|Baptist|Pooh)\b)|de la|de los|de las|de|du|des|del|della|dei|di|da|do|dos|das|van der|van den|van de|van|"
    r"von der|von|vom|zu|der|den|la|le|al|bin|ibn|ben|el|&|y|e)"
)
_NUMBER = r"(?:\d{1,3}(?![\w%]|[.,/]?\d|\s?(?:percent|per cent|years|people|km|miles|million|billion|times|days|goals|points)\b))"
_RUN = re.compile(rf"(?<![\w]){_WORD}(?:(?:\s{_PARTICLE})?\s(?={_WORD}){_WORD}|,\s(?:Jr|Sr)\.|\s{_NUMBER}){{0,12}}")
_INSIDE = re.compile(rf"(?<=[\w,;)] )[{upper()}]\w+")
_TOKEN = re.compile(r"\S+")
POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’]|['’])$")
_ELIDED = re.compile(rf"[dl]['’](?=[{upper()}])")
_ELIDED_FIRST = re.compile(rf"[dlL]['’](?=[{upper()}])")
_SENTENCE_START = re.compile(r"[\s\"'“”‘’«»„`(\[*•–—-]*")
_BEGINS_ANEW = tuple(':"“”„«»‘([¿¡*•–—…!?.')
"""Signs after which another sentence may begin inside of one, if a word follows: "Dijo: Ella vino", but not "Guests: Ella, Tom"."""
_UPPER = re.compile(f"[{upper()}]")
_LOWER_WORD = re.compile(r"\b[^\W\d_]{2,}\b")


def name_spans(text: str, capitalised: Collection[str] = (), *, elides: bool = False) -> list[Span]:
    """Returns the spans of names, in order.

    Args:
        text: one sentence.
        capitalised: words known to be capitalised inside sentences of the document; a lone first word of a sentence
            counts as a name when it is among them or is no ordinary word.
        elides: whether "d'" and "l'" before a name are no part of it, as in French.
    """
    if _is_shouted(text):
        return []
    start = _SENTENCE_START.match(text)
    first = start.end() if start else 0
    spans = (_trimmed(text, match.start(), match.end(), first, capitalised) for match in _RUN.finditer(text))
    return [_without_elision(text, span, first) if elides else span for span in spans if span is not None]


def _without_elision(text: str, span: Span, first: int) -> Span:
    """Returns a span without "d'" or "l'" at its front; a capital "L'" counts as one only where it opens the sentence."""
    start, end = span
    elided = (_ELIDED if start > first else _ELIDED_FIRST).match(text, start, end)
    return (elided.end(), end) if elided else span


def capitalised_inside(text: str) -> frozenset[str]:
    """Returns casefolded capitalised words that follow another word or a comma, so their capital does not come from the start of a sentence."""
    if _is_shouted(text):
        return frozenset()
    return frozenset(word.casefold() for word in _INSIDE.findall(text))


def _is_shouted(text: str) -> bool:
    """Tells whether capitals mean nothing, since nearly all words are in capitals."""
    if not text[-12:].isupper() and not text[:12].isupper():
        return False
    words = _LOWER_WORD.findall(text)
    return len(words) > 4 and sum(word.isupper() for word in words) > 0.7 * len(words)


def _trimmed(text: str, start: int, end: int, first: int, capitalised: Collection[str]) -> Span | None:
    """Cuts function words in front and a possessive off a run; returns None if no name is left."""
    at_start = start <= first
    tokens = [match.span() for match in _TOKEN.finditer(text, start, end)]
    while tokens and _is_led_in(text, tokens, at_start, capitalised):
        del tokens[0]
        while tokens and not _UPPER.search(text[slice(*tokens[0])]):
            del tokens[0]
        at_start = False
    while tokens and not _UPPER.search(text[slice(*tokens[-1])]) and not text[slice(*tokens[-1])].isdigit():
        del tokens[-1]
    if not tokens or len(tokens) > MAX_WORDS:
        return None
    start, end = tokens[0][0], tokens[-1][1]
    possessive = POSSESSIVE.search(text, start, end)
    end = possessive.start() if possessive else end
    at_start = start <= first or (text[start:end].casefold() in _FIRST_NAMES and _begins_anew(text, start, end))
    return (start, end) if is_name(text[start:end], at_start, len(tokens), capitalised) else None


def _begins_anew(text: str, start: int, end: int) -> bool:
    """Tells whether a word may open a sentence inside of another one."""
    goes_on = text[end : end + 1] == " " and text[end + 1 : end + 2].isalpha()
    return goes_on and text[max(0, start - 2) : start].rstrip().endswith(_BEGINS_ANEW)


def _is_led_in(text: str, tokens: list[Span], at_start: bool, capitalised: Collection[str]) -> bool:
    """Tells whether the first word of a run is a function word that has its capital from the sentence."""
    word = text[slice(*tokens[0])].casefold()
    if word in ("i", "i'm", "i've", "i'd", "i'll"):
        return True
    if word in _ARTICLES and (at_start or _begins_anew(text, *tokens[0])):
        return word not in capitalised
    return _is_opener(word) and (at_start or len(tokens) == 1)


def is_name(name: str, at_start: bool, words: int, capitalised: Collection[str]) -> bool:
    """Tells whether a stretch with a capital is a name.

    Args:
        name: the stretch.
        at_start: whether the capital may come from the start of a sentence.
        words: number of its words.
        capitalised: see `name_spans`.
    """
    key = name.casefold().rstrip(".")
    if len(key) < 2 or key in calendar_words():
        return False
    if words > 1:
        return True
    if _is_opener(key) or (name.endswith(".") and re.fullmatch(_ABBREVIATION, name)):
        return False
    return not at_start or key in capitalised or name.isupper() or not _is_ordinary(key)


def _is_opener(word: str) -> bool:
    """Tells whether a casefolded word is a function word, which is cut off in front of a name that opens a sentence."""
    return word in _openers()


def _is_ordinary(word: str) -> bool:
    """Tells whether a casefolded word is an everyday one, which alone at the start of a sentence is no name."""
    return is_everyday_word(word) or (word.endswith(("ly", "ing")) and word.isascii())


@cache
def _openers() -> frozenset[str]:
    languages = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "el")
    return (
        frozenset().union(*(stop_words(language) for language in languages))
        - _FIRST_NAMES
        - frozenset(_NAME_STARTS.split())
    )


MAX_TITLE_WORDS = 12

_QUOTED = re.compile(
    r"""
      (?<![\w"])"(?P<a>[^"\n]{2,90}?)[,.]?"(?!\w)
    | [“„](?P<b>[^“”„\n]{2,90}?)[,.]?[”“]
    | «[\s\u00a0\u202f]?(?P<c>[^«»\n]{2,90}?)[,.]?[\s\u00a0\u202f]?»
    | ``\s?(?P<d>[^`'\n]{2,90}(?:'[^`'\n]{1,60}){0,2}?)\s?[,.]?\s?''
    | ‹(?P<e>[^‹›\n]{2,90}?)›
    | [「『《〈](?P<f>[^「」『』《》〈〉\n]{2,40}?)[」』》〉]
    | (?<!\w)‘(?P<g>[^‘’\n]{2,60}(?:’\w[^‘’\n]{0,40}){0,2}?)’(?!\w)
    """,
    re.VERBOSE,
)
_HINTS = re.compile(r"[\"“„«‹‘「『《〈]|``")
_STARTS_LIKE_TITLE = re.compile(rf"[{upper()}{uncased()}\d#¿¡(]")
_ENDS_SENTENCE = re.compile(r"[.;:。？！]$|[.!?]\s")
_ORDINARY_VERB = re.compile(r"\b(?:is|are|was|were|am|will|would|have|has|had|do|does|did)\b")


def quoted_titles(text: str) -> list[tuple[Span, str]]:
    """Returns quoted stretches that look like titles, with their spans including the quotation marks.

    A title starts with a capital, a digit or a letter of a script without capitals, and is no sentence. Of those
    in Latin letters either the last word has a capital too or there are at most four.
    """
    if not _HINTS.search(text):
        return []
    found = []
    for match in _QUOTED.finditer(text):
        title = next(group for group in match.groups() if group is not None).strip()
        if _is_title(title):
            found.append((match.span(), title))
    return found


def _is_title(title: str) -> bool:
    words = title.split()
    if not words or len(words) > MAX_TITLE_WORDS or not _STARTS_LIKE_TITLE.match(title) or _ENDS_SENTENCE.search(title):
        return False
    if len(words) <= 4 or not title[0].isupper():
        return True
    capitals = sum(word.strip("(\"'“‘")[:1].isupper() for word in words)
    return 2 * capitals >= len(words) or (words[-1][:1].isupper() and not _ORDINARY_VERB.search(title))


MAX_PER_SENTENCE = 6

_HAS_UNCASED = re.compile(f"[{uncased()}]")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}(?:[・＝][ァ-ヺー]{1,})*")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff々]{2,}")
_HAN_BREAK = re.compile(
    r"[的了在是和与與及于於或而为為被把由从從到对對以之也不有这這那个個们們就都向等将將其并並但每各很更最又再还還已曾经經让讓使给給把着著过過吗呢吧啊]|"
    r"(?:成立|位于|位於|出生|毕业|畢業|担任|擔任|属于|屬於|认为|认識|发现|发明|创办|創立|访问|訪問|参观|发表|出版|以及|因为|所以|可以|没有|我们|他们|她们|自己|年|月|日)"
)
_NAMED_THING = re.compile(
    r"[\u4e00-\u9fff]{1,8}(?:大学|大學|学院|學院|公司|银行|銀行|医院|醫院|研究所|研究院|协会|協會|委员会|委員會|博物馆|博物館|图书馆|圖書館|"
    r"共和国|共和國|王国|王國|帝国|帝國|自治区|特别行政区|机场|車站|车站|大桥|战争|戰爭|王朝|"
    r"[省市县縣区區州国國山河江湖岛島寺宫宮镇鎮村港湾灣府県都郡駅町城党])(?![\u4e00-\u9fff](?<=民|家|人|内|外|場|长|長))"
)
_SPACED_WORD = re.compile(f"[{uncased()}][{uncased()}{marks()}\u200c\u200d'’\"״׳-]{{2,}}")
_HAN_OR_KANA = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")


def runs(text: str) -> list[str]:
    """Returns stretches that could be names, in order: runs between particles in Han, words in spaced scripts."""
    if not _HAS_UNCASED.search(text):
        return []
    found = [piece for run in _HAN_RUN.findall(text) for piece in _HAN_BREAK.split(run) if 2 <= len(piece) <= 8]
    stopped = every_stop_word()
    for word in _SPACED_WORD.findall(text):
        if not _HAN_OR_KANA.search(word) and word not in stopped and len(word) <= 20:
            found.append(word)
    return found


def repeated_runs(sentences: Iterable[str]) -> frozenset[str]:
    """Returns runs that stand in at least two sentences of a document."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(set(runs(sentence)))
    return frozenset(run for run, count in counts.items() if count >= 2)


def uncased_names(text: str, repeated: Collection[str]) -> list[str]:
    """Returns names in a sentence, in the order of the rules, at most MAX_PER_SENTENCE.

    Args:
        text: one sentence.
        repeated: see `repeated_runs`.
    """
    if not _HAS_UNCASED.search(text):
        return []
    found = dict.fromkeys(_KATAKANA.findall(text))
    for run in runs(text):
        if run in repeated:
            found[run] = None
        elif (match := _NAMED_THING.search(run)) is not None and len(match.group()) > 1:
            found[match.group()] = None
    return list(found)[:MAX_PER_SENTENCE]
